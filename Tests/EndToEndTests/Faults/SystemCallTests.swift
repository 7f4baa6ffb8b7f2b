import Foundation
import LatchkeyDevServer
import LatchkeyJSON
import Testing

#if os(Linux)
    /// Machines that lack what most have, made by a preloaded library or a mount namespace.
    @Suite("System calls that fail, and a system without /proc") struct SystemCallTests {
        /// Compiles a library that takes the place of functions of the C library; `nil`, said so, without a compiler.
        private func preloaded(_ source: String) throws -> (folder: TemporaryFolder, variables: [String: String])? {
            guard let compiler = Program.onPath("cc") ?? Program.onPath("clang") else {
                print("skipped: there is no C compiler")
                return nil
            }
            let folder = TemporaryFolder()
            let (code, library) = ("\(folder.path)/odd.c", "\(folder.path)/odd.so")
            try Data(source.utf8).write(to: URL(filePath: code))
            let compile = try Process.run(
                URL(filePath: compiler), arguments: ["-shared", "-fPIC", "-o", library, code, "-ldl"])
            compile.waitUntilExit()
            try #require(compile.terminationStatus == 0)
            return (folder, ["LD_PRELOAD": library])
        }

        private func login(_ tool: Tool, _ issuer: String, _ more: [String: String]) async throws -> Program.Result {
            let words = ["login", "--issuer", issuer, "--client-id", "dev-device", "--device"]
            return try await tool.start(words, environment: more).wait()
        }

        @Test(
            "directories that cannot be flushed, as on CIFS and Windows' drives, keep sessions all the same",
            arguments: ["EINVAL", "EOPNOTSUPP"])
        func unflushed(_ number: String) async throws {
            let source = """
                #define _GNU_SOURCE
                #include <dlfcn.h>
                #include <errno.h>
                #include <sys/stat.h>
                int fsync(int file) {
                  struct stat found;
                  if (fstat(file, &found) == 0 && S_ISDIR(found.st_mode)) { errno = \(number); return -1; }
                  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
                }
                """
            guard let odd = try preloaded(source) else { return }
            defer { withExtendedLifetime(odd.folder) {} }
            let (tool, server) = (try Tool(), try Service.start())
            server.configure { $0.autoApprove = true }
            let login = try await login(tool, server.issuer, odd.variables)
            #expect(login.status == 0, "\(login.errors)")
            for words in [["refresh"], ["token"], ["logout"]] {
                let result = try await tool.start(words, environment: odd.variables).wait()
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
        }

        @Test("a disk that fails while a directory is flushed is told, and so is one that cannot lock files")
        func failing() async throws {
            for (function, number, words) in [
                ("int fsync(int file)", "EIO", "the disk reports a fault"),
                ("int flock(int file, int operation)", "ENOSYS", "cannot lock files"),
                ("int flock(int file, int operation)", "ENOLCK", "cannot lock files"),
            ] {
                let body = "#include <errno.h>\n\(function) { errno = \(number); return -1; }\n"
                guard let odd = try preloaded(body) else { return }
                defer { withExtendedLifetime(odd.folder) {} }
                let (tool, server) = (try Tool(), try Service.start())
                server.configure { $0.autoApprove = true }
                let login = try await login(tool, server.issuer, odd.variables)
                #expect(login.status == 7 && login.errors.contains(words), "\(function) \(number): \(login.errors)")
            }
        }

        @Test(
            "without /proc, which the runtime needs, commands say so before anything is sent, and none shows its help instead"
        )
        func withoutProc() async throws {
            guard let unshare = Program.onPath("unshare"), geteuid() == 0 else {
                print("skipped: a mount namespace needs root and unshare")
                return
            }
            let scene = try await SignedIn()
            func run(_ words: String) async throws -> Program.Result {
                let script = "mount -t tmpfs none /proc && exec \"$0\" \(words)"
                return try await Program(unshare).start(
                    ["--mount", "sh", "-c", script, scene.tool.path], environment: scene.tool.variables()
                ).wait()
            }
            let probe = try await Program(unshare).run(["--mount", "true"])
            guard probe.status == 0 else {
                print("skipped: this container allows no mount namespace")
                return
            }
            for words in ["token", "refresh", "status", "exec -- true", "logout"] {
                let result = try await run(words)
                #expect(result.status == 1 && result.output.isEmpty, "\(words): \(result.status) \(result.errors)")
                let hint = "\nhint: In the container or chroot: mount -t proc proc /proc\n"
                #expect(result.errors.hasPrefix("latchkey: /proc is not mounted here") && result.errors.hasSuffix(hint))
            }
            #expect(try await run("--version").output.hasPrefix("latchkey "))
            #expect(try await run("help token").output.contains("Usage: latchkey token"))
            // Nothing was sent, and nothing is lost.
            #expect(try await scene.run("refresh").status == 0)
        }
    }
#endif
