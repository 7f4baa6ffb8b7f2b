#if os(Linux)
    import CLibrary
    import Foundation
    import Latchkey
    import LatchkeyDevServer
    import LatchkeyJSON
    import Testing

    /// Libraries that the tool loads only when it needs them.
    @Suite("The tool's libraries") struct LateLibraryTests {
        /// Each library, and what stands in its way: no file of a library at all, or one of another library.
        enum Stand: String, CaseIterable { case broken, foreign }

        /// Returns a folder in which the library `name` is no such library.
        private func folder(_ name: String, _ stand: Stand) throws -> TemporaryFolder {
            let folder = TemporaryFolder()
            let path = URL(filePath: "\(folder.path)/\(name)")
            switch stand {
            case .broken: try Data("no library".utf8).write(to: path)
            case .foreign:
                let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"]
                let other = try #require(folders.map { "\($0)/libm.so.6" }.first(where: FileManager.default.fileExists))
                try FileManager.default.copyItem(at: URL(filePath: other).resolvingSymlinksInPath(), to: path)
            }
            return folder
        }

        /// What the loader says of such a file.
        private func words(_ stand: Stand) -> String { stand == .broken ? "file too short" : "undefined symbol: " }

        @Test("it is not linked to what only the network and a QR code need")
        func linked() async throws {
            let readelf = try #require(Program.onPath("readelf"))
            let needed = try await Program(readelf).run(["--dynamic", "--wide", Tool().path]).output
            #expect(needed.contains("[libjansson.so"))
            for library in ["libcurl", "libcrypto", "libmicrohttpd", "libqrencode"] {
                #expect(!needed.contains("[\(library)"), "\(library)")
            }
        }

        @Test("without libcurl a valid token is shown, and a request says what to install", arguments: Stand.allCases)
        func curl(_ stand: Stand) async throws {
            let scene = try await SignedIn()
            let folder = try folder("libcurl.so.4", stand)
            defer { withExtendedLifetime(folder) {} }
            let without = ["LD_LIBRARY_PATH": folder.path]
            let token = try await scene.run("token", environment: without)
            #expect(token.status == 0 && !token.line.isEmpty, "\(token.errors)")
            let url = scene.server.issuer + "/resource"
            let request = try await scene.run(
                "request", "GET", url, "--allow-origin", scene.server.issuer, environment: without)
            #expect(request.status == 8 && request.errors.contains("libcurl4"), "\(request.errors)")
            #expect(request.errors.contains(words(stand)) && !request.errors.contains("not installed"))
            let refresh = try await scene.run("refresh", environment: without)
            #expect(refresh.status == 8 && refresh.errors.contains("libcurl4"), "\(refresh.errors)")
            #expect(refresh.errors.hasSuffix("else: apt-get install --reinstall libcurl4\n"), "\(refresh.errors)")
            // Nothing was sent, so nothing is in doubt.
            #expect(try await scene.run("refresh").status == 0)
        }

        @Test(
            "without libcrypto a valid token is shown, and whatever needs it says what to install",
            arguments: Stand.allCases)
        func libcrypto(_ stand: Stand) async throws {
            let scene = try await SignedIn()
            let folder = try folder("libcrypto.so.3", stand)
            defer { withExtendedLifetime(folder) {} }
            let without = ["LD_LIBRARY_PATH": folder.path]
            let token = try await scene.run("token", environment: without)
            #expect(token.status == 0 && !token.line.isEmpty, "\(token.errors)")
            func expectWord(_ words: String..., input: String = "") async throws {
                let result = try await scene.tool.start(words, environment: without, input: input).wait()
                #expect(result.status == 8, "\(words): \(result.status) \(result.errors)")
                #expect(result.errors.contains("libcrypto.so.3") && result.errors.contains("libssl3"), "\(words)")
                #expect(result.errors.contains(self.words(stand)) && !result.errors.contains("not installed"))
                #expect(result.errors.hasPrefix("latchkey: ") && result.output.isEmpty, "\(words)")
            }
            try await expectWord("dev-server")
            try await expectWord("refresh")
            for more in [["--no-browser"], ["--device"]] {
                try await expectWordOfLogin(scene, more, without)
            }
            try await expectWord(
                "store", "migrate", "--to", "encrypted", "--passphrase-from-stdin", input: "correct horse battery\n")
            let french = try await scene.run(
                "refresh", environment: without.merging(["LC_ALL": "fr_FR.UTF-8"]) { $1 })
            let sentence = "La bibliothèque libcrypto.so.3 du paquet Debian libssl3 ne se charge pas : "
            #expect(french.errors.contains(sentence) && french.errors.contains(words(stand)), "\(french.errors)")
            #expect(french.errors.contains("apt-get install --reinstall libssl3") && !french.errors.contains("library"))
            // Nothing was sent or moved, so nothing is in doubt.
            #expect(try await scene.run("refresh").status == 0)
            #expect(try await scene.run("status", "--json").json?["store"]?["kind"]?.string == "unencryptedFiles")
        }

        private func expectWordOfLogin(
            _ scene: SignedIn, _ more: [String], _ environment: [String: String]
        ) async throws {
            let words = ["login", "--profile", "other", "--issuer", scene.server.issuer, "--client-id", "dev-device"]
            let result = try await scene.tool.start(words + more, environment: environment).wait()
            #expect(result.status == 8 && result.errors.contains("libssl3"), "\(more): \(result.errors)")
        }

        @Test("without libcrypto an encrypted session stays locked, and the error says what to install")
        func encrypted() async throws {
            let (tool, server) = (try Tool(), try Service.start())
            let passphrase = "correct horse battery staple\n"
            let login = try await tool.run(
                "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device", "--store", "encrypted",
                "--passphrase-from-stdin", input: passphrase)
            try #require(login.status == 0, "\(login.errors)")
            let folder = try folder("libcrypto.so.3", .broken)
            defer { withExtendedLifetime(folder) {} }
            let unlock = try await tool.run(
                "unlock", "--passphrase-from-stdin", environment: ["LD_LIBRARY_PATH": folder.path], input: passphrase)
            #expect(unlock.status == 8 && unlock.errors.contains("libssl3"), "\(unlock.errors)")
            let right = try await tool.run("unlock", "--for", "1m", "--passphrase-from-stdin", input: passphrase)
            #expect(right.status == 0, "\(right.errors)")
            #expect(try await tool.run("token").status == 0)
            _ = try await tool.run("lock")
        }

        @Test("a library that is not there is told as not installed, and one that lacks a library of its own is not")
        func absent() throws {
            let error = TransportError(.libraryMissing, wasSent: false)
            #expect(
                error.message
                    == "The library that sends requests is not installed: libcurl.so.4, of the Debian package libcurl4."
            )
            #expect(latchkey_library_load("libnosuch-latchkey.so.9", nil, 0) == 0)
            #expect(latchkey_library_refusal("libnosuch-latchkey.so.9") == nil)
            let folder = TemporaryFolder()
            let (inner, outer) = ("\(folder.path)/libinner.so", "\(folder.path)/libouter.so")
            guard let compiler = Program.onPath("cc") ?? Program.onPath("clang") else {
                print("skipped: there is no C compiler")
                return
            }
            for words in [
                ["-shared", "-o", inner, "-x", "c", "/dev/null"],
                ["-shared", "-o", outer, "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed", inner],
            ] {
                let compile = try Process.run(URL(filePath: compiler), arguments: words)
                compile.waitUntilExit()
                try #require(compile.terminationStatus == 0)
            }
            try FileManager.default.removeItem(atPath: inner)
            #expect(latchkey_library_load(outer, nil, 0) == 0)
            let words = latchkey_library_refusal(outer).map { String(cString: $0) }
            #expect(words?.contains("libinner.so") == true, "\(words ?? "")")
        }

        @Test("a libcurl that has another TLS library refuses the same certificates, and says what it knows of them")
        func gnutls() async throws {
            let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
            let files = folders.map { "\($0)/libcurl-gnutls.so.4" }
            guard let other = files.first(where: FileManager.default.fileExists) else {
                print("skipped: libcurl3-gnutls is not installed")
                return
            }
            guard let server = try await TLSIssuer.start() else { return }
            let folder = TemporaryFolder()
            try FileManager.default.copyItem(
                at: URL(filePath: other).resolvingSymlinksInPath(), to: URL(filePath: "\(folder.path)/libcurl.so.4"))
            let tool = try Tool()
            let words = ["login", "--issuer", server.issuer, "--client-id", "a", "--device"]
            let refused = try await tool.start(words, environment: ["LD_LIBRARY_PATH": folder.path]).wait()
            #expect(refused.status == 9 && refused.errors.contains("\(server.issuer)"), "\(refused.errors)")
            let trusting = try await tool.start(
                words + ["--ca-file", server.caFile], environment: ["LD_LIBRARY_PATH": folder.path]
            ).wait()
            // The document was read; it names a host that the certificate is not for.
            #expect(trusting.status == 9 && trusting.errors.contains("https://localhost:"), "\(trusting.errors)")
        }

        @Test("without libmicrohttpd a browser cannot come back, and the error says what to install")
        func microhttpd() async throws {
            let scene = try await SignedIn()
            let folder = try folder("libmicrohttpd.so.12", .broken)
            defer { withExtendedLifetime(folder) {} }
            let without = ["LD_LIBRARY_PATH": folder.path]
            let login = try await scene.run("login", "--no-browser", environment: without)
            #expect(login.status == 8 && login.errors.contains("libmicrohttpd12"), "\(login.errors)")
            #expect(login.errors.contains("file too short") && !login.errors.contains("not installed"))
            let server = try await scene.run("dev-server", environment: without)
            #expect(server.status == 8 && server.errors.contains("libmicrohttpd12"), "\(server.errors)")
        }
    }
#endif
