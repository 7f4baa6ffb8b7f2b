import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("Guests of a list") struct GuestListTests {
    private static func guest(
        _ id: String, at came: Int64 = 0, until end: Int64 = 3_600, bytes: Int = 0, from place: String = ""
    ) -> GuestList.Guest {
        GuestList.Guest(id: id, came: came, end: end, bytes: bytes, place: place)
    }

    /// Limits of which one list has this share.
    private static func limits(number: Int = 1_000, bytes: Int = 1 << 20, perAddress: Int = 1_000) -> GuestLimits {
        var limits = GuestLimits()
        (limits.number, limits.bytes, limits.perAddress) = (number * 64, bytes * 64, perAddress * 64)
        return limits
    }

    /// A list to which `guests` came, and who had to leave it.
    private static func list(
        _ guests: [GuestList.Guest], _ limits: GuestLimits
    ) -> (left: [String], gone: [String]) {
        var (list, gone) = (GuestList(), [String]())
        for guest in guests {
            list.put(guest)
            gone += list.takeLeaving(at: guest.came, limits, except: guest.id)
        }
        return (list.guests.map(\.id), gone)
    }

    @Test("without addresses a flood ends its own guests: those of quieter minutes stay") func minutes() {
        let early = (0..<5).map { Self.guest("early-\($0)", at: Int64($0) * 60) }
        let flood = (0..<500).map { Self.guest("flood-\($0)", at: 1_000 + Int64($0) / 10) }
        let late = (0..<3).map { Self.guest("late-\($0)", at: 1_200 + Int64($0) * 60) }
        let (left, gone) = Self.list(early + flood + late, Self.limits(number: 50))
        #expect(left.count == 50 && gone.count == 458)
        #expect(gone.allSatisfy { $0.hasPrefix("flood-") })
        #expect(Set(early.map(\.id)).isSubset(of: left) && Set(late.map(\.id)).isSubset(of: left))
        // Of a crowd the oldest goes first.
        #expect(gone.first == "flood-0" && left.contains("flood-499"))
    }

    @Test("guests that come one a minute leave in the order of the latest, and never the one that is being served")
    func slow() {
        let (left, gone) = Self.list((0..<8).map { Self.guest("\($0)", at: Int64($0) * 60) }, Self.limits(number: 4))
        #expect(left == ["0", "1", "2", "7"] && gone == ["3", "4", "5", "6"])
    }

    @Test("a crowd from one address leaves before anybody else, whenever the others come") func addresses() {
        var guests: [GuestList.Guest] = []
        for number in 0..<300 {
            guests.append(Self.guest("crowd-\(number)", at: Int64(number), from: "crowd"))
            if number % 10 == 0 { guests.append(Self.guest("other-\(number)", at: Int64(number), from: "p\(number)")) }
        }
        let (left, gone) = Self.list(guests, Self.limits(number: 50))
        #expect(left.count == 50)
        #expect(gone.allSatisfy { $0.hasPrefix("crowd-") })
        #expect(left.count { $0.hasPrefix("other-") } == 30)
    }

    @Test("one address has no more than its share, also where there is room") func perAddress() {
        let guests = (0..<40).map { Self.guest("\($0)", at: Int64($0), from: $0 % 2 == 0 ? "a" : "b") }
        let (left, gone) = Self.list(guests, Self.limits(perAddress: 5))
        #expect(left.count == 10 && gone.count == 30)
        // Where the app does not say, there is no such share.
        #expect(Self.list((0..<40).map { Self.guest("\($0)") }, Self.limits(perAddress: 5)).gone.isEmpty)
    }

    @Test("great parts leave room, too, and a guest that is served stays even if it is too great") func bytes() {
        let guests = (0..<10).map { Self.guest("\($0)", at: Int64($0), bytes: 300) }
        let (left, _) = Self.list(guests, Self.limits(bytes: 1_000))
        #expect(left == ["7", "8", "9"])
        let two = [Self.guest("a", bytes: 10), Self.guest("b", bytes: 5_000)]
        let (alone, gone) = Self.list(two, Self.limits(bytes: 1_000))
        #expect(alone == ["b"] && gone == ["a"])
    }

    @Test("a guest leaves when its cookie ends, and one who comes again is counted once") func ends() {
        var list = GuestList()
        list.put(Self.guest("a", at: 0, until: 100))
        list.put(Self.guest("a", at: 50, until: 100, bytes: 700))
        list.put(Self.guest("b", at: 50, until: 150))
        #expect(list.guests == [Self.guest("a", at: 0, until: 100, bytes: 700), Self.guest("b", at: 50, until: 150)])
        #expect(list.takeLeaving(at: 99, Self.limits(), except: "b").isEmpty)
        #expect(list.takeLeaving(at: 100, Self.limits(), except: "b") == ["a"])
        #expect(list.takeLeaving(at: 999, Self.limits(), except: "b").isEmpty)
    }

    @Test("a list is read as it was written, and none of anything else") func wire() throws {
        var list = GuestList()
        list.put(Self.guest("a", at: 1, until: 2, bytes: 3, from: "x"))
        #expect(try GuestList(list.bytes) == list)
        for bytes in ["", "{}", "[]", "{\"guests\":[{}]}", "{\"guests\":1}"] {
            #expect(throws: AuthError.self) { try GuestList(Array(bytes.utf8)) }
        }
    }

    @Test(
        "an address stands for itself in every way to write it, an IPv6 one for its network, and other text for nothing",
        arguments: [
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
            ("192.0.2.7", "::ffff:192.0.2.7", true), ("2001:db8::1", "2001:0DB8:0:0:9::1", true),
            ("2001:db8::1", "[2001:db8::ffff]", true), ("2001:db8:0:1::1", "2001:db8::1", false),
            ("fe80::1%eth0", "fe80::2", true),
        ])
    func places(one: String, other: String, isSame: Bool) throws {
        let key = ServerKey(secret: Secret([UInt8](repeating: 7, count: 32)))
        let names = [one, other].map { ClientPlace.name(of: $0, key) }
        #expect((names[0] == names[1]) == isSame)
        for name in names { #expect(!name.isEmpty && !name.contains(".") && name.count == 12) }
        for text in [nil, "", "unknown", "192.0.2", "10.0.0.1, 10.0.0.2", "1.2.3.4:80"] as [String?] {
            #expect(ClientPlace.name(of: text, key) == "", "\(text ?? "nil")")
        }
    }
}
