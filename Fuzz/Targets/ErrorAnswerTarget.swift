import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore

extension FuzzTarget {
    /// A refusal in answer to any request.
    static let errorAnswer = FuzzTarget(name: "error-answer", longest: 2_048) { bytes throws(Disagreement) in
        for (response, looks) in AnswerRules.answers(bytes) {
            try AnswerRules.demandTokenRules(response, looks: looks)
            let revoked = TokenRevocation.judge(response, now: AnswerRules.now)
            if looks { try Canary.demandHidden(revoked) }
            switch revoked {
            case .done:
                try demand(
                    (200...299).contains(response.status) || (400...499).contains(response.status),
                    "HTTP \(response.status) is done")
            case .notDone(_, let wait), .foreign(_, let wait):
                try demand(AnswerRules.isWait(wait), "a wait is out of bounds")
            default: break
            }
            let person = try Canary.outcome { () throws(AuthError) in
                try UserInfo.judge(response, subject: "u1")
            }
            guard case .success(let claims) = person else { continue }
            try demand(response.status == 200 && claims.subject == "u1", "claims of another person are taken")
            if looks { try Canary.demandHidden(claims) }
        }
    }

    /// An answer of the device endpoint, and one of the token endpoint to a poll.
    static let deviceAnswer = FuzzTarget(name: "device-answer", longest: 2_048) { bytes throws(Disagreement) in
        for (response, looks) in AnswerRules.answers(bytes) {
            let poll = DevicePoll.judge(response, now: AnswerRules.now)
            switch poll {
            case .tokens: try AnswerRules.demandTokenRules(response, looks: looks)
            case .transient(let wait), .elsewhere(_, let wait):
                try demand(AnswerRules.isWait(wait), "a wait is out of bounds")
            case .denied, .expired:
                try demand((200...499).contains(response.status), "HTTP \(response.status) ends a sign-in")
            default: break
            }
            if looks { try Canary.demandHidden(poll) }
            let outcome = try Canary.outcome { () throws(AuthError) in
                try DeviceAuthorization.judge(response, now: AnswerRules.now)
            }
            guard case .success(let device) = outcome else { continue }
            try demandDevice(device, response)
        }
    }

    private static func demandDevice(
        _ device: DeviceAuthorization, _ response: TransportResponse
    ) throws(Disagreement) {
        try demand(response.status == 200, "a device code is taken from HTTP \(response.status)")
        try demand(!device.deviceCode.isEmpty && !device.userCode.isEmpty, "a device code is empty")
        for address in [device.verificationURI, device.completeURI].compactMap(\.self) {
            let scheme = Bytes.lowercased(address.utf8.prefix(8))
            let isLocal = ["http://127.0.0.1", "http://[::1]", "http://localhost"].contains {
                Bytes.lowercased(address.utf8).starts(with: $0.utf8)
            }
            try demand(
                scheme == Array("https://".utf8) || isLocal, "the person is sent to an address that is not secure")
            try demand(!address.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "an address would break its line")
        }
        try demand((.zero ... .seconds(86_400)).contains(device.expiresIn), "a device code lasts too long")
        try demand((.seconds(1) ... .seconds(300)).contains(device.interval), "polls come too often or never")
    }
}
