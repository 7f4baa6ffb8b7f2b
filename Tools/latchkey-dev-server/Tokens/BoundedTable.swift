/// A dictionary that forgets its oldest entry when it is full.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]
    /// The keys by age. Those before `first` are gone.
    private var order: [Key] = []
    private var first = 0
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { values.count }
    /// Every value, in no particular order.
    var all: Dictionary<Key, Value>.Values { values.values }

    /// Reads and changes a value in place. A new key may remove the oldest one; `nil` removes the key.
    subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            let isNew = values[key] == nil
            values[key] = newValue
            guard isNew, newValue != nil else { return }
            order.append(key)
            while values.count > capacity, first < order.count {
                let oldest = order[first]
                first += 1
                values[oldest] = nil
            }
            // Removed keys leave gaps in the order. Remove them together with the keys before `first`.
            if order.count > 2 * capacity {
                order = order[first...].filter { values[$0] != nil }
                first = 0
            }
        }
    }

    /// Changes every value.
    mutating func updateAll(_ change: (inout Value) -> Void) {
        for key in values.keys {
            if var value = values[key] {
                change(&value)
                values[key] = value
            }
        }
    }
}
