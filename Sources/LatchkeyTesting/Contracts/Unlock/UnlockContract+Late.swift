import Latchkey

extension UnlockContract {
    func late(_ typing: Typing) async throws {
        let text = "a proof that comes after the prompt was cancelled is not taken"
        for isRight in [true, false] {
            try await clause(text, typing) { unlock, typist in
                typist.will(.types(typing.wrong))
                if let limit { _ = try await wrongProofs(limit.tries - 1, at: unlock) }
                let before = typist.reasons.count
                let shown = Latch()
                typist.will(.typesLate(isRight ? try await right(typing) : typing.wrong, shown))
                let asking = Task { try await code(of: unlock) }
                try await typist.wait(for: before + 1)
                asking.cancel()
                shown.open()
                let said = try await asking.value
                try expect(
                    said == .cancelled, "it was told as \(said?.name ?? "right") and not as CancellationError")
                typist.will(.types(typing.wrong))
                if limit != nil { return try await expectOneTryLeft(unlock) }
                try expectTold(try await code(of: unlock), is: .refused(.wrongInput), "a wrong proof afterwards")
            }
        }
        try await clause("a cancelled prompt is closed", typing) { unlock, typist in
            typist.will(.waits)
            let asking = Task { try await code(of: unlock) }
            try await typist.wait(for: 1)
            asking.cancel()
            _ = try await asking.value
            // What closes it may run a moment later.
            for _ in 1...2_000 where typist.closed == 0 { try await Task.sleep(for: .milliseconds(1)) }
            try expect(typist.closed == 1, "it stayed open")
        }
    }

    func failing(_ typing: Typing) async throws {
        let text = "a prompt that fails is neither a no nor a try"
        try await clause(text, typing) { unlock, typist in
            typist.will(.types(typing.wrong))
            if let limit { _ = try await wrongProofs(limit.tries - 1, at: unlock) }
            typist.will(.fails(AuthError(.unlockUnavailable(.missing), "the screen is gone")))
            let said = try await code(of: unlock)
            try expect(said != nil, "it gave a grant")
            try expect(said != .declined, "it was told as a no")
            try expect(said != .refused(.wrongInput), "it was told as a wrong proof")
            if limit != nil {
                typist.will(.types(typing.wrong))
                try await expectOneTryLeft(unlock)
            }
        }
    }

    func dated(_ typing: Typing) async throws {
        var other = context
        let clock = JumpingClock(context.clock)
        other.clock = clock
        let later = other
        try await clause("a grant is dated when the proof was given", typing, over: later) { unlock, typist in
            let proof = try await right(typing, over: later)
            typist.will(.typesAfter(.seconds(3_600), proof))
            let begin = clock.now()
            let grant = try await ask(unlock)
            try expect(
                grant.provenAt >= begin + .seconds(3_600) && grant.provenAt <= clock.now(),
                typing.worksOnce ? "the date is another" : "it is dated before the proof was typed, or in the future")
        }
    }

    func hidden(_ typing: Typing) async throws {
        let trouble = DiskTrouble()
        let watched = context.on(trouble)
        try await clause("what is typed is neither shown nor written down", typing, over: watched) { unlock, typist in
            typist.will(.types(typing.wrong))
            do { _ = try await ask(unlock) } catch {
                try expect(!Printed.shows(typing.wrong, in: error), "an error shows what was typed")
            }
            let proof = try await right(typing, over: watched)
            typist.will(.types(proof))
            let grant = try await ask(unlock)
            try expect(!Printed.shows(proof, in: grant), "the grant shows what was typed")
            typist.will(.declines)
            for secret in [proof, typing.wrong] {
                try expect(
                    !Printed.shows(secret, in: unlock), "the authenticator shows what was typed")
                // Fewer letters may be in a file by chance.
                guard secret.count >= 6 else { continue }
                for form in Self.forms(of: secret.reveal()) {
                    try expect(
                        !Self.isIn(trouble.written, form), "what was typed is in a file, as it is or in other letters")
                }
            }
        }
    }

    /// The bytes, and how they look in hexadecimal digits and in Base64.
    private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
        let digits = Array("0123456789abcdef".utf8)
        let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var base64: [UInt8] = []
        for start in stride(from: 0, to: bytes.count - bytes.count % 3, by: 3) {
            let bits = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            for shift in [18, 12, 6, 0] { base64.append(letters[bits >> shift & 63]) }
        }
        return [bytes, hex, base64]
    }

    private static func isIn(_ text: [UInt8], _ form: [UInt8]) -> Bool {
        guard text.count >= form.count else { return false }
        return (0...(text.count - form.count)).contains { text[$0..<($0 + form.count)].elementsEqual(form) }
    }
}
