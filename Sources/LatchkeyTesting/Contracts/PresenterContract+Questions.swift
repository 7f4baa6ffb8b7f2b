import Latchkey
import LatchkeySystem

/// What comes of the question itself: one answer, and nothing afterwards.
extension PresenterContract.Scene {
    @Sendable func answered() async throws {
        let stage = try await made()
        try await asking(first, of: stage).expect(.answers(answer), "another answer came back")
    }

    @Sendable func declined() async throws {
        let stage = try await made()
        try await asking(first, of: stage).expect(.declines, "another answer came back")
    }

    @Sendable func cancelled() async throws {
        for isShown in [false, true] {
            let stage = try await made()
            try await with(stage) {
                if !isShown {
                    let early = Task {
                        withUnsafeCurrentTask { $0?.cancel() }
                        return try await stage.presenter.answer(first)
                    }
                    switch await early.result {
                    case .failure(is CancellationError): break
                    case .failure(let error as AuthError) where error.code == .cancelled: break
                    default: throw Broken("a task that was cancelled before did not throw CancellationError")
                    }
                }
                let asked = asking(first, of: stage)
                if isShown { try await seen(asked) }
                try await asked.cancel()
            }
        }
    }

    /// Returns once the question is shown, as far as that can be told.
    func seen(_ asked: PresenterContract.Asked) async throws {
        if case .browser = asked.stage.hand {
            _ = try await asked.stage.visit(.declines, on: asked.challenge)
        } else if let showing = asked.stage.showing {
            while try await showing() == 0, !asked.isOver.withLock({ $0 }) {
                try await Task.sleep(for: .milliseconds(1))
            }
        } else {
            for _ in 1...16 { await Task.yield() }
        }
    }

    @Sendable func leavesNothing() async throws {
        for way in ["an answer", "a no", "a cancelling"] {
            let stage = try await made()
            let asked = asking(first, of: stage)
            let page = try await stage.visit(.answers(answer), on: first)?.page
            switch way {
            case "an answer": _ = try await asked.answered(by: .answers(answer))
            case "a no": _ = try await asked.answered(by: .declines)
            default:
                try await seen(asked)
                try await asked.cancel()
            }
            await stage.end()
            try await gone("after \(way), the question is still shown") { try await stage.showing?() ?? 0 == 0 }
            guard let page else { continue }
            try await gone("after \(way), something still listens for its page") {
                guard let line = try? await LocalClient.Line(to: page) else { return true }
                line.close()
                return false
            }
        }
    }

    /// Waits until `isGone`, for most of the clause's time.
    private func gone(_ detail: String, _ isGone: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + clauses.limit * 0.7
        while try await !isGone() {
            try expect(ContinuousClock.now < end, detail)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Sendable func lateAnswers() async throws {
        if case .visit = ask { return }
        for isCancelled in [false, true] {
            let stage = try await made()
            try await with(stage) {
                let former = asking(first, of: stage)
                let late = try await stage.visit(wrong, on: first)
                if isCancelled {
                    try await seen(former)
                    try await former.cancel()
                } else {
                    _ = try await former.answered(by: .answers(answer))
                }
                let asked = asking(second, of: stage)
                try await asked.unmoved("an answer to the question before") {
                    if let late, let own = try await stage.visit(.answers(answer), on: second) {
                        let swaps = zip(own.proofs, late.proofs).map { ($0, with: $1) }
                        let wrongOne = try await stage.visit(wrong, on: second)
                        for request in [late.reply, late.at(own.page), wrongOne?.replacing(swaps)] {
                            if let request, await PresenterStage.isTaken(request) {
                                throw Broken("a late answer to the question before was told to be taken")
                            }
                        }
                    } else {
                        try await seen(asked)
                        let isTaken = try await stage.act(wrong, on: first) ?? false
                        try expect(!isTaken, "a late answer to the question before was told to be taken")
                    }
                }
                try await asked.expect(.answers(answer), "an answer to the question before came back")
            }
        }
    }

    @Sendable func askedAgain() async throws {
        if case .visit = ask { return }
        let stage = try await made()
        try await with(stage) {
            _ = try await asking(first, of: stage).answered(by: wrong)
            let refusal = AuthError(.refused(.wrongInput), "The contract refuses the answer.")
            try await (stage.presenter as? any RefusalShowing)?.show(refusal, of: first)
            try await asking(first, of: stage).expect(.answers(answer), "an answer from before came back")
        }
    }

    @Sendable func answeredTwice() async throws {
        // Which of both is served first is up to the machine.
        for _ in 1...16 { guard try await answeredTwiceOnce() else { return } }
    }

    /// Returns whether two answers at once can be brought.
    private func answeredTwiceOnce() async throws -> Bool {
        let stage = try await made()
        return try await with(stage) {
            let asked = asking(first, of: stage)
            guard let one = try await stage.visit(.answers(answer), on: first),
                let other = try await stage.visit(wrong, on: first)
            else {
                asked.task.cancel()
                return false
            }
            // Both are there but for the last byte.
            var lines: [(line: LocalClient.Line, last: UInt8, act: PresenterStage.Act)] = []
            for (visit, act) in [(one, PresenterStage.Act.answers(answer)), (other, wrong)] {
                let message = LocalClient.message(visit.reply)
                let line = try await LocalClient.Line(to: visit.page)
                await line.write(Array(message.dropLast()))
                lines.append((line, message.last ?? 0, act))
            }
            for (line, last, _) in lines { await line.write([last]) }
            let result = await asked.task.result
            await stage.end()
            let found = try result.get()
            for (line, _, act) in lines {
                let isTaken = ((try? await line.answer(to: "POST"))?.status).map { $0 < 400 } ?? false
                try expect(!isTaken || act.leads(to: found), "what did not come back was told to be taken")
            }
            return true
        }
    }

    @Sendable func atOnce() async throws {
        let stage = try await made()
        guard stage.asksAtOnce else { return }
        try await with(stage) {
            let (one, other) = (asking(first, of: stage), asking(second, of: stage))
            try await other.expect(wrong, "the second question got another answer")
            try await one.expect(.answers(answer), "the first question got another answer")
        }
    }

    @Sendable func printsNothing() async throws {
        let stage = try await made()
        try await with(stage) {
            let secrets = answer.secrets + (answer.varied(for: ask)?.secrets ?? [])
            let own = ask.secretTexts.map { Secret($0) }
            let asked = asking(first, of: stage)
            try await seen(asked)
            try Self.check(own, in: stage.presenter, "the presenter shows what the question holds")
            if let visit = try await stage.visit(wrong, on: first) {
                // What is refused is not shown either.
                let request = visit.replacing(visit.proofs.map { ($0, with: "x") })
                let page = try? await LocalClient.send(request)
                try Self.check(secrets, in: page?.text ?? "", "a page shows what was typed")
                let reply = Task {
                    try await LocalClient.send(try await stage.visit(.answers(answer), on: first)?.reply ?? request)
                }
                _ = await asked.task.result
                await stage.end()
                try Self.check(secrets, in: (try? await reply.value)?.text ?? "", "a page shows what was typed")
            } else {
                _ = try await asked.answered(by: .answers(answer))
            }
            try Self.check(secrets + own, in: stage.presenter, "the presenter shows what was typed, or asked")
            try Self.check(secrets, in: await stage.written?() ?? [], "it writes what was typed")
        }
    }

    private static func check(_ secrets: [Secret], in value: Any, _ detail: String) throws {
        for secret in secrets { try expect(!Printed.shows(secret, in: value), detail) }
    }
}

extension PresenterContract.Asked {
    /// Runs `body`, and throws ``Broken`` if the question is over then.
    func unmoved(_ what: String, _ body: () async throws -> Void) async throws {
        do { try await body() } catch {
            task.cancel()
            throw error
        }
        try LatchkeyTesting.expect(!isOver.withLock { $0 }, "\(what) ended the question")
    }
}

extension Ask {
    /// The texts of the question that its description leaves out because they are enough to take part in the sign-in.
    fileprivate var secretTexts: [String] {
        switch self {
        case .enrolment(let enrolment): [enrolment.key, enrolment.address]
        case .visit(let url, _): [url]
        case .device(let device): [device.userCode]
        default: []
        }
    }
}

extension TransportResponse {
    /// The body, and every field.
    fileprivate var text: String {
        fields.lines.map { "\($0.name): \($0.value)\n" }.joined() + String(decoding: body, as: UTF8.self)
    }
}
