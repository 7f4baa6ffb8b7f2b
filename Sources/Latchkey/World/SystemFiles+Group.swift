#if os(Linux)
    import CAccessList
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif
#endif

/// A disk that knows the members of an opened directory's group.
package protocol GroupKnowing: FileAccess {
    /// Whether what the mode of the opened directory lets its group do, only this user and root can do. If that cannot be
    /// known, this is `false`.
    var isGroupPrivate: Bool { get }
}

extension SystemFiles: GroupKnowing {
    /// Asks the system's own files, and no directory service of a network. A directory with an access control list is
    /// never private: the list may name others, and the group bits of the mode are then its mask.
    package var isGroupPrivate: Bool {
        #if os(Linux)
            guard let opened = try? Descriptor(openDirectory: ".", in: base(of: ".")),
                shim_has_access_list(opened.number) == 0, let status = try? opened.status(),
                let members = GroupMembers.system(SystemFiles())
            else { return false }
            return members.isPrivate(status.st_gid, to: geteuid())
        #else
            return false
        #endif
    }
}
