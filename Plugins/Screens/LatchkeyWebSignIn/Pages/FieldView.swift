import Latchkey

/// One field with its label, its hint and its complaint, tied together for people who hear the page.
struct FieldView: Sendable {
    let name: String
    let label: String
    var type = "text"
    var value: String?
    var autocomplete: String?
    var inputMode: String?
    var hints: [String] = []
    var complaint: String?
    var isRequired = true

    /// The ID of the input, to which a summary of complaints leads.
    var id: String { "field-\(name.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined())" }

    var html: String {
        let complaintID = complaint.map { _ in "\(id)-error" }
        let hintID = hints.isEmpty ? nil : "\(id)-hint"
        let described = [hintID, complaintID].compactMap(\.self).joined(separator: " ")
        let attributes = WebHTML.attributes([
            "id": id, "name": name, "type": type, "value": value, "autocomplete": autocomplete,
            "inputmode": inputMode, "aria-describedby": described.isEmpty ? nil : described,
            "aria-invalid": complaint == nil ? nil : "true", "aria-required": isRequired ? "true" : nil,
            "autocapitalize": type == "text" || type == "email" ? "none" : nil, "spellcheck": "false",
        ])
        let hint = hintID.map { id in
            "<p class=\"hint\" id=\"\(id)\">\(hints.map(WebHTML.text).joined(separator: "<br>"))</p>"
        }
        let error = complaintID.map { id in "<p class=\"error\" id=\"\(id)\">\(WebHTML.text(complaint ?? ""))</p>" }
        return """
            <div class="field">
            <label for="\(id)">\(WebHTML.text(label))</label>
            \(hint ?? "")\(error ?? "")
            <input\(attributes)>
            </div>
            """
    }
}

extension [FieldView] {
    /// The fields, one after the other.
    var html: String { map(\.html).joined(separator: "\n") }
}
