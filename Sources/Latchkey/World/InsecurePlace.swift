/// A directory on the way to a file that others could change.
package struct InsecurePlace: Hashable, Sendable {
    /// What is wrong with it.
    package enum Fault: Hashable, Sendable {
        /// It belongs to this other user.
        case owner(UInt32)
        /// A group that has other members may change it.
        case group
        /// Everybody may change it.
        case everybody
    }

    /// The directory's path, with all links resolved.
    package var path: String
    /// What is wrong with it.
    package var fault: Fault
    /// Whether it belongs to the user that this process runs as.
    package var isOwn: Bool

    /// The same in words.
    var words: String {
        switch fault {
        case .owner(let owner): "belongs to another user (\(owner))"
        case .group: "may be changed by a group"
        case .everybody: "may be changed by everybody"
        }
    }
}

extension AuthError {
    /// Creates the error for a directory that others could change.
    init(_ place: InsecurePlace) {
        self.init(.store(.insecurePermissions), "\(place.path) \(place.words)")
        insecurePlace = place
    }
}
