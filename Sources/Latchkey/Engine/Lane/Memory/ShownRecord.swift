/// Which reading of the record callers see.
struct ShownRecord: Sendable {
    /// The version that callers see, or are about to see because the code that committed it shows it.
    var version: RecordVersion?
    /// The last reading.
    var lastRead: (writeID: String, version: RecordVersion)?
    /// Counts what was shown, so that an older reading is not shown over it.
    var epoch = 0
}
