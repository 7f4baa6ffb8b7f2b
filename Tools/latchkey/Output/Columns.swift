/// Aligns pairs of a name and a text, one below the other.
enum Columns {
    static func lines(_ rows: [(String, String?)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.compactMap { name, text in
            text.map { name + String(repeating: " ", count: width - name.count + 2) + $0 }
        }
    }
}
