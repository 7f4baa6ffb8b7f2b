import Latchkey
import LatchkeyJSON
import LatchkeyOAuth

extension Option {
    static let userName = value(
        "username", "NAME", .text, "git: the name that goes with the token; x-access-token if not given")
}

extension Command {
    static let credential = Command(
        name: "credential", summary: "Gives git, kubectl and the AWS programs what they sign in with",
        details: [
            "\"git\" is a credential helper: it reads what git asks for from standard input, and answers \"get\" with a token"
                + " if the host is one of the profile's allowed origins or given by --allow-origin. For any other host it"
                + " prints nothing, so that git asks elsewhere. The server says whether the token goes as Bearer or as a"
                + " password. \"erase\" is for a token that the server refused: it is never given out again, and the next"
                + " \"get\" refreshes. \"store\" changes nothing here.",
            "\"kubectl\" prints an ExecCredential object with the token and its end, for the section users[].user.exec of a"
                + " kubeconfig file. A cluster that knows the issuer by itself wants the ID token: add --id. A program that asks"
                + " again for what it has already was refused by the cluster, and gets another one; \"latchkey refresh\""
                + " replaces it in any case.",
            "\"aws\" takes the role --role-arn with the profile's ID token (AssumeRoleWithWebIdentity) and prints its keys,"
                + " for credential_process in ~/.aws/config. IAM must know the issuer as an OpenID Connect provider, with"
                + " the client's id as audience. Each call asks AWS; a token that it refuses is refreshed, once.",
        ],
        examples: [
            "latchkey profiles edit work --allow-origin https://git.example.com",
            "git config --global credential.https://git.example.com.helper '!latchkey credential git --profile work'",
            Example(
                "kubectl config set-credentials me --exec-api-version=client.authentication.k8s.io/v1"
                    + " --exec-command=latchkey --exec-arg=credential --exec-arg=kubectl"),
            Example(
                "aws configure set credential_process"
                    + " 'latchkey credential aws --role-arn arn:aws:iam::123456789012:role/me'"),
        ],
        options: [
            .allowOrigin, .userName, .roleARN, .sessionName, .roleDuration, .region, .endpoint, .accessToken,
            .idToken, .minimumValidity, .audience, .account, .verbose, .profile,
        ],
        operands: [
            Operand(
                placeholder: "FORMAT", kind: .words(["git", "kubectl", "aws"]), count: .one,
                help: "Who reads the answer"),
            Operand(
                placeholder: "REQUEST", kind: .text, count: .optional,
                help: "git: get, store or erase, as git adds it"),
        ],
        run: { invocation in
            if invocation.arguments.operands[0] == "kubectl" { return try await cluster(invocation) }
            guard !invocation.arguments.has(.idToken) else {
                throw UsageError(
                    "usage.goesWith", ["option": "--id", "others": "kubectl"], command: invocation.arguments.command)
            }
            if invocation.arguments.operands[0] == "aws" { return try await role(invocation) }
            // Git may ask for other things, now or in a later version. Other helpers answer those.
            switch invocation.arguments.operands.dropFirst().first {
            case "get": try await GitHelper(invocation)?.get()
            case "erase": try await GitHelper(invocation)?.erase()
            default: break
            }
            return .success
        })

    private static func cluster(_ invocation: Invocation) async throws -> ExitStatus {
        let profile = try invocation.profile()
        let credential = ClusterCredential(invocation.environment)
        var handed = try HandedTokens(invocation, profile)
        let (token, end) =
            invocation.arguments.has(.idToken)
            ? try await identity(of: profile, &handed, invocation) : try await access(to: profile, handed, invocation)
        handed.give(token)
        try invocation.console.write(.output, credential.answer(token, until: end) + [0x0A])
        return .success
    }

    /// Returns an access token that no cluster has refused, and its end.
    private static func access(
        to profile: Profile, _ handed: HandedTokens, _ invocation: Invocation
    ) async throws -> (Secret, end: String?) {
        var token = try await invocation.token(of: profile).0
        if handed.isRefused(token.value) {
            let workplace = try await Workplace.open(invocation, profile)
            try await workplace.client.discard(token.value)
            token = try await workplace.token().0
        }
        return (token.value, TokenReport(token, invocation.world).expiresAt)
    }

    /// Returns an ID token that no cluster has refused, and its end.
    private static func identity(
        of profile: Profile, _ handed: inout HandedTokens, _ invocation: Invocation
    ) async throws -> (Secret, end: String?) {
        var token = try await idToken(of: profile, invocation).token
        if handed.isRefused(token.value) {
            // Noted first: without a network it is not given to the next program either.
            handed.refuse(token.value)
            token = try await idToken(of: profile, invocation, replacing: token.value).token
        }
        // kubectl compares the end with this machine's clock.
        return (token.value, AccountReport.text(token.endsAt))
    }

    private static func role(_ invocation: Invocation) async throws -> ExitStatus {
        // What is wrong with the options is told before a token is fetched.
        let request = try RoleRequest(invocation)
        let profile = try invocation.profile()
        let keys: [UInt8]
        if invocation.arguments.has(.accessToken) {
            let workplace = try await Workplace.open(invocation, profile)
            let token = try await workplace.token().0.value
            keys = try await request.send(token, from: profile) {
                try await workplace.client.discard(token)
                return try await workplace.token().0.value
            }
        } else {
            let token = try await idToken(of: profile, invocation).token.value
            keys = try await request.send(token, from: profile) {
                try await idToken(of: profile, invocation, replacing: token).token.value
            }
        }
        try invocation.console.write(.output, keys + [0x0A])
        return .success
    }
}
