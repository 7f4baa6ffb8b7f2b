import AppKit
import AsyncKit
import AuthenticationServices
import Combine
import ConsoleKit
import CoreMetrics
import Crypto
import CryptoKit
import Dispatch
import Distributed
import Foundation
import FoundationEssentials
import FoundationInternationalization
import FoundationNetworking
import FoundationXML
import HTTPTypes
import HTTPTypesFoundation
import Hummingbird
import HummingbirdAuth
import HummingbirdBasicAuth
import HummingbirdCore
import HummingbirdOIDC
import HummingbirdRouter
import Latchkey
import LatchkeyAgent
import LatchkeyAuditLog
import LatchkeyClerk
import LatchkeyCognito
import LatchkeyCrypto
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyEncryptedStore
import LatchkeyFileStore
import LatchkeyJSON
import LatchkeyKernelKeyring
import LatchkeyLog
import LatchkeyLoopback
import LatchkeyMetrics
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeyPartitionedStore
import LatchkeyPassphrase
import LatchkeyPluginKit
import LatchkeySecretService
import LatchkeySupabase
import LatchkeySupabaseAdmin
import LatchkeyTerminal
import LatchkeyTesting
import LatchkeyWebSignIn
import LocalAuthentication
import Logging
import Metrics
import MultipartKit
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOFileSystem
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOTLS
import NIOWebSocket
import Observation
import RegexBuilder
import RoutingKit
import Security
import SwiftData
import SwiftUI
import Synchronization
import Testing
import UIKit
import Vapor
import WebSocketKit
import os

// What an app writes: the field's names and ours in one file, none with its module in front.

/// An observed model. A type of ours named `Observation` would hide the module that the macro's expansion names.
@Observable
final class Model {
    var count = 1
    var account: Account?
}

/// A model of the older kind.
final class Greeting: ObservableObject {
    @Published var name = "nobody"
    @Published var lastError: AuthError?
}

/// A screen that signs in.
struct SignInScreen: View {
    @State private var model = Model()
    @Binding var isShown: Bool
    @Bindable var observed: Model
    @Environment(\.isEnabled) private var isEnabled
    @AppStorage("issuer") private var issuer = "https://id.example.com"

    func signIn(storingIn directory: String) async throws -> AuthSession {
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: issuer, clientID: "notes"))
            .provider(.supabase(projectURL: "https://notes.supabase.co", publishableKey: "sb_publishable_x"))
            .store(.file(unencryptedAt: directory))
            .transport(.curl())
            .build()
        let known = try await auth.restore()
        model.count = known.count
        model.account = known.first
        let session = try await auth.signIn(with: "oauth", .browser(), asking: LoopbackPresenter())
        let token = try await auth.accessToken()
        Logger(label: "notes").info("signed in, with a token of \(token.value)")
        return session
    }

    func nextStep(after error: AuthError) -> Text {
        switch error.recovery {
        case .signIn: Text("Sign in again")
        default: Text(error.message)
        }
    }
}

/// A transport of ours, on top of one that speaks the field's request and response.
struct FieldTransport: HTTPTransport {
    let channel: any Channel
    let perform: @Sendable (HTTPRequest) async throws -> HTTPResponse

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard channel.isWritable else { throw TransportError(.unreachable, wasSent: false) }
        var asked = HTTPRequest(method: "GET", scheme: "https", authority: "id.example.com", path: "/")
        asked.headerFields = HTTPFields()
        _ = try await perform(asked)
        throw TransportError(.unreachable, wasSent: true)
    }
}

/// A server's handler: its visitor's session beside ours.
func greet(_ request: Request, _ auth: AuthClient) async throws -> Response {
    let session: Session = request.session
    session.data["label"] = try await auth.accounts().first?.label
    let body: JSON = ["hello": .string(session.data["label"] ?? "nobody")]
    return Response(body: String(decoding: body.serialized(), as: UTF8.self))
}

/// The field's cryptography beside ours.
func keys() throws -> [SymmetricKey] {
    let key = SymmetricKey(data: Array("key".utf8))
    _ = HMAC<SHA256>(key: key)
    return [key, HKDF<SHA256>.expand(pseudoRandomKey: Array("key".utf8), outputByteCount: 32)]
}
