import LatchkeyJSON

/// Reads the claims of both token versions.
enum ClaimsWire {
    /// Reads `o:dashboard,u:export`, keeping its order. Parts of another form are ignored.
    static func features(_ text: String?) -> [(owner: Set<ClerkClaims.Owner>, name: String)] {
        (text ?? "").split(separator: ",").compactMap { part in
            let sides = part.filter { $0 != " " }.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { return nil }
            let owners = Set(sides[0].map(String.init).compactMap(ClerkClaims.Owner.init))
            guard !owners.isEmpty, owners.count == sides[0].count else { return nil }
            return (owners, String(sides[1]))
        }
    }

    static func owners(
        _ list: [(owner: Set<ClerkClaims.Owner>, name: String)]
    ) -> [String: Set<ClerkClaims.Owner>] {
        Dictionary(list.map { ($0.name, $0.owner) }) { $0.union($1) }
    }

    static func organization(
        _ claims: JSON, features: [(owner: Set<ClerkClaims.Owner>, name: String)]
    ) -> ClerkClaims.Organization? {
        if let found = claims["o"], let id = found["id"]?.string {
            // The role lacks the prefix that it has everywhere else.
            let role = found["rol"]?.string.map { $0.hasPrefix("org:") ? $0 : "org:\($0)" }
            let ofOrganization = features.filter { $0.owner.contains(.organization) }.map(\.name)
            return ClerkClaims.Organization(
                id: id, slug: found["slg"]?.string, role: role,
                permissions: permissions(found["per"]?.string, found["fpm"]?.string, ofOrganization))
        }
        guard let id = claims["org_id"]?.string else { return nil }
        let permissions = claims["org_permissions"]?.array?.compactMap(\.string) ?? []
        return ClerkClaims.Organization(
            id: id, slug: claims["org_slug"]?.string, role: claims["org_role"]?.string, permissions: Set(permissions))
    }

    /// Reads permissions. The k-th number belongs to the organization's k-th feature; its bit i,
    /// counted from the lowest, says whether the i-th name is granted. Lists that do not match grant nothing.
    static func permissions(_ names: String?, _ maps: String?, _ features: [String]) -> Set<String> {
        func parts(_ text: String?) -> [String] {
            (text ?? "").split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        }
        guard names?.isEmpty == false, maps?.isEmpty == false else { return [] }
        let (list, masks) = (parts(names), parts(maps))
        guard masks.count == features.count, list.count <= 63 else { return [] }
        var granted: Set<String> = []
        for (feature, mask) in zip(features, masks) {
            guard let bits = UInt64(mask), bits >> UInt64(list.count) == 0 else { return [] }
            for (index, name) in list.enumerated() where bits >> UInt64(index) & 1 == 1 && !name.isEmpty {
                granted.insert("org:\(feature):\(name)")
            }
        }
        return granted
    }
}
