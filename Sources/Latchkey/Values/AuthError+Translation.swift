import LatchkeyJSON
import LatchkeySystem

extension AuthError {
    /// What a plugin threw, in the facade's words. The only place where other errors become ``AuthError``.
    package init(_ error: any Error, provider: ProviderID? = nil) {
        switch error {
        case var known as AuthError:
            known.provider = known.provider ?? provider
            self = known
        case let unsent as NotSent:
            self.init(unsent.error, provider: provider)
        case let open as StillOpen:
            self.init(open.error, provider: provider)
        case is CancellationError:
            self.init(.cancelled, "The task was cancelled.", provider: provider)
        case let error as TransportError:
            self.init(error, provider: provider)
        case let refusal as Refusal:
            let reason: SignInRequiredReason = refusal.kind == .definite ? refusal.reason : .refusedWithoutReason
            self.init(
                .signInRequired(reason), "The service refused the session (\(refusal.code)).", provider: provider,
                requestID: refusal.requestID, serviceCode: refusal.code)
            serviceText = refusal.serviceText
        case is StoreConflict:
            self.init(.busy, "Another process keeps changing the same record.", provider: provider)
        case let error as JSONError:
            self.init(.untrusted(.malformed), "The answer cannot be read: \(error).", provider: provider)
        case let error as FileError:
            self.init(error)
        case let missing as MissingLibrary:
            self.init(.configuration(.invalid), missing.description, provider: provider)
            missingLibrary = Library(file: missing.file, package: missing.package, refusal: missing.refusal)
        default:
            self.init(
                .serviceTrouble, "A plugin failed with an error of type \(type(of: error)).", provider: provider)
        }
    }

    /// What ended a conversation. It needs the service, so not to reach it has a code of its own.
    init(ofConversation error: any Error, provider: ProviderID?) {
        self.init(error, provider: provider)
        if code == .offline(.unreachable) { code = .offline(.signIn) }
    }

    private init(_ error: TransportError, provider: ProviderID?) {
        let code: Code =
            switch error.code {
            case .unreachable, .timedOut, .interrupted: .offline(.unreachable)
            case .tooLarge: .untrusted(.malformed)
            case .tls where error.cause == .authorityFile: .configuration(.invalid)
            case .tls, .pinMismatch: .untrusted(.tls)
            case .invalidRequest, .libraryMissing: .configuration(.invalid)
            }
        self.init(code, error.message, provider: provider)
        transport = error
        // Nothing but libcurl is loaded late by a transport.
        if error.code == .libraryMissing {
            missingLibrary = Library(file: "libcurl.so.4", package: "libcurl4", refusal: error.refusal)
        }
    }

    /// What the disk refused, in a store's words.
    public init(_ error: FileError) {
        switch error {
        case .denied: self.init(.store(.unavailable), "The store's files may not be used by this user.")
        case .readOnly: self.init(.store(.readOnly), "The store's place cannot be written.")
        case .full: self.init(.store(.full), "No space is left for the store.")
        case .tooLarge: self.init(.store(.damaged), "A file of the store is larger than any record can be.")
        case .unexpectedKind:
            self.init(.store(.insecurePermissions), "A file of the store is a link or no regular file.")
        case .noLocks: self.init(.store(.unavailable), "The store's file system cannot lock files.")
        case .exists, .missing: self.init(.store(.unavailable), "The store's files change while they are used.")
        case .failed(let number): self.init(.store(.unavailable), "The disk failed: \(FileError.words(number)).")
        }
    }
}
