/// A dictionary that forgets its oldest entry when it is full.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]
    /// Keys by age, from `first` on; those before it are gone.
    private var order: [Key] = []
    private var first = 0
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { values.count }
    /// Every value, in no order.
    var all: Dictionary<Key, Value>.Values { values.values }

    /// Reads and changes in place. Setting a new key may forget the oldest one; `nil` forgets this one.
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
            // Keys that were removed leave holes in the order; both are swept away together.
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
