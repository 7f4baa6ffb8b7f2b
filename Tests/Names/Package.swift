// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One file that imports the field's modules beside all of this project's library products. `Scripts/verify names` puts
// the package together in .build/names: Stubs/ and Mentions/ are written there from Reserved/, Shapes/ and the products,
// so this folder alone does not build. The stubs are modules of this package alone, with a scratch path of its own: a
// stub in another package's scratch path would make `canImport` true there.
let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

let stubs = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("Stubs").path).sorted()
let products = try String(contentsOf: folder.appendingPathComponent("products.txt"), encoding: .utf8)
    .split(separator: "\n").map { Target.Dependency.product(name: String($0), package: "latchkey") }
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "names",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "latchkey", path: "../..")],
    targets: stubs.map { .target(name: $0, path: "Stubs/\($0)") } + [
        .target(name: "Products", dependencies: products, path: "Products"),
        .target(
            name: "Beside", dependencies: products + stubs.map { .target(name: $0) }, path: "Beside",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
