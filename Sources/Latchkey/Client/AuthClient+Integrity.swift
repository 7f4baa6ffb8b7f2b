extension AuthClient {
    /// Looks for signs that another program interferes with this process, and tells the listeners and observers.
    ///
    /// The client goes on as before, whatever is found: use the findings as an input to your own policy. You may call
    /// ``lock()``, so that the person must prove that they are there, or offer less than usual.
    ///
    /// - Returns: What the check found. It is sent as ``AuthEvent/integrityFindings(_:)`` unless it is empty, and each
    ///   kind is observed once as ``AuthObservation/integrity(_:)``.
    @discardableResult
    public func checkIntegrity(by checker: some IntegrityChecking) async -> [IntegrityFinding] {
        let findings = await checker.check()
        guard !findings.isEmpty else { return [] }
        for kind in IntegrityFinding.Kind.allCases where findings.contains(where: { $0.kind == kind }) {
            engine.context.observer.observe(.integrity(kind))
        }
        engine.accounts.hub.tell(.integrityFindings(findings))
        return findings
    }
}
