#if os(Linux)
    import Latchkey
    import Testing

    /// What the tool does with the descriptors it is given, and what it hands on.
    @Suite("descriptors", .timeLimit(.minutes(5))) struct DescriptorTests {
        /// Closes whatever a test's process hands on beside the standard three, and goes on with `script`.
        private func run(
            _ script: String, _ signedIn: SignedIn, _ words: String...
        ) async throws -> Program.Result {
            let bash = try #require(Program.onPath("bash"), "bash is not installed; run: Scripts/setup")
            let clean = #"for file in /proc/$$/fd/*; do n=${file##*/}; ((n < 3)) || eval "exec $n>&-"; done; "#
            let environment = signedIn.tool.variables(["XDG_RUNTIME_DIR": signedIn.folder.path])
            return try await Program(bash).run(
                ["-c", clean + script, "bash", signedIn.tool.path] + words, environment: environment)
        }

        /// A script of its own for the program that is run, which is not the last command in it: a shell that becomes
        /// `ls` would list what `ls` opens.
        private static let list = "sh -c 'ls -v /proc/$$/fd; echo at $LATCHKEY_ACCESS_TOKEN_FD'"

        @Test("a program that exec runs has the three standard descriptors and what the caller handed down, no others")
        func replaced() async throws {
            let signedIn = try await SignedIn()
            // It asks the service before it runs the program.
            let script = #"exec 7</dev/null; exec "$1" exec --min-validity 1h -- "# + Self.list
            let result = try await run(script, signedIn)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == "0\n1\n2\n7\nat\n")
        }

        @Test("a program that exec --refresh runs has these and the one it asks for tokens, no others")
        func kept() async throws {
            let signedIn = try await SignedIn()
            let script = #"exec 7</dev/null; exec "$1" exec --refresh --min-validity 1h -- "# + Self.list
            let result = try await run(script, signedIn)
            #expect(result.status == 0, "\(result.errors)")
            // One digit, which the redirections of every POSIX shell take.
            #expect(result.output == "0\n1\n2\n3\n7\nat 3\n")
        }

        /// The redirections that close `numbers`.
        private func closing(_ numbers: [Int]) -> String {
            numbers.map { $0 == 0 ? "0<&-" : "\($0)>&-" }.joined(separator: " ")
        }

        private static let subsets = (1..<8).map { mask in (0...2).filter { mask & 1 << $0 != 0 } }

        @Test("a token is printed on standard output or nowhere, whichever descriptors are closed", arguments: subsets)
        func closed(numbers: [Int]) async throws {
            let signedIn = try await SignedIn()
            let result = try await run(#""$1" token --min-validity 1h "# + closing(numbers), signedIn)
            let token = try await signedIn.run("token").line
            #expect(token.count > 10)
            if numbers.contains(1) {
                #expect(result.status == 1, "\(result)")
                #expect(result.output.isEmpty)
                #expect(numbers.contains(2) || result.errors.contains("The output cannot be written"))
            } else {
                #expect(result.status == 0, "\(result)")
                #expect(result.output == token + "\n")
            }
            // In the store's own record it stands, once and in its place: the command above has read it there.
            let holding = FilesBelow.list(signedIn.folder.path).filter { path in
                let bytes = (try? SystemFiles().read(path, limit: 1 << 20)) ?? []
                return String(decoding: bytes, as: UTF8.self).contains(token)
            }
            #expect(holding.allSatisfy { $0.contains("/credential-") && $0.hasSuffix(".record") }, "\(holding)")
        }

        @Test("an error is an error still, where nobody can be told", arguments: subsets)
        func failing(numbers: [Int]) async throws {
            let signedIn = try await SignedIn()
            let result = try await run(#""$1" token --account nobody "# + closing(numbers), signedIn)
            #expect(result.status != 0 && result.output.isEmpty, "\(result)")
            #expect(numbers.contains(2) == result.errors.isEmpty)
        }

        @Test("a program that exec runs in place of a caller's closed descriptors finds these three taken")
        func handedOn() async throws {
            let signedIn = try await SignedIn()
            let list = "sh -c 'ls -l /proc/$$/fd > \"$1\"; echo lost || exit 9' sh"
            for option in ["", "--refresh"] {
                let place = "\(signedIn.folder.path)/list\(option)"
                let script = #""$1" exec \#(option) -- \#(list) "$2" "# + closing([0, 1, 2])
                let result = try await run(script, signedIn, place)
                #expect(result.status == 9)
                let lines = String(decoding: try SystemFiles().read(place, limit: 4_096) ?? [], as: UTF8.self)
                #expect(lines.matches(of: /[012] -> \/dev\/null\n/).count == 3, "\(lines)")
            }
        }
    }
#endif
