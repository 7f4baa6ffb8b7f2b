import LatchkeyJSON

/// Every line of the file, and what is wrong with them.
struct ChainCheck {
    struct Line {
        /// Where its bytes are, without the line feed.
        var range: Range<Int>
        /// `nil` if it was not written with the installation's key.
        var line: AuditLine?
        /// Whether it is where it was written.
        var isInPlace = true
    }

    private(set) var lines: [Line] = []
    private(set) var findings: [AuditReport.Finding] = []
    /// The number of the last line, and what the next one chains on.
    private(set) var last: (number: Int64, chain: String)?
    /// Lines since ``last`` that cannot be read, and each stand for one number.
    private var unread: Int64 = 0

    /// Checks whole lines: `bytes` up to `end`, where a line feed is the last byte.
    init(_ bytes: [UInt8], upTo end: Int, _ keys: AuditKeys) {
        var start = 0
        while start < end, let stop = bytes[start..<end].firstIndex(of: 0x0A) {
            lines.append(Line(range: start..<stop, line: AuditLine(bytes[start..<stop], keys)))
            start = stop + 1
        }
        for index in lines.indices { check(index) }
    }

    /// The findings once these lines are gone.
    var weight: Int64 { findings.reduce(0) { $0 + $1.weight } }

    /// Compares the end with what was noted of it after the last line was written.
    mutating func compare(_ head: AuditHead?) {
        guard let head else {
            if !lines.isEmpty { findings.append(.noHead) }
            return
        }
        let end = last?.number ?? 0
        if head.number > end {
            let gap = head.number - end - unread
            if gap > 0 { findings.append(.cutOff(count: gap)) }
        } else if let found = lines.last(where: { $0.line?.number == head.number })?.line, !head.fits(found) {
            findings.append(.noHead)
        }
    }

    private mutating func check(_ index: Int) {
        guard let line = lines[index].line else {
            findings.append(.altered(line: index + 1))
            unread += 1
            return
        }
        if index == 0, line.kind != .start { findings.append(.noStart) }
        switch line.kind {
        case .start:
            guard index == 0 else { return misplaced(index) }
            if let faults = line["faults"]?.integer, faults > 0 { findings.append(.earlier(count: faults)) }
        case .broken:
            guard line.number > last?.number ?? -1 else { return misplaced(index) }
            findings.append(.reported(count: line["count"]?.integer ?? 0))
        case .event, .dropped, .erased:
            let first = line["from"]?.integer ?? line.number
            guard let last else { break }
            guard first > last.number else { return misplaced(index) }
            let gap = first - last.number - 1 - unread
            if gap > 0 { findings.append(.missing(after: last.number, count: gap)) }
            // Its neighbour is of another history, such as an older copy of the file.
            if first == last.number + 1, line.previous != last.chain { return misplaced(index) }
        }
        last = (line.number, line.chain)
        unread = 0
    }

    private mutating func misplaced(_ index: Int) {
        findings.append(.disordered(line: index + 1))
        lines[index].isInPlace = false
    }
}
