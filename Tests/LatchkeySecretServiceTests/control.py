"""Does to the keyring of a private bus what a person would: control.py ADDRESS VERB [WORDS]."""
import signal
import sys
import time

import dbus
import dbus.bus

NAME = "org.freedesktop.secrets"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
MASTER = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

bus = dbus.bus.BusConnection(sys.argv[1])
verb, words = sys.argv[2], sys.argv[3:]

if verb == "own":
    # A service that is there and never answers.
    bus.request_name(NAME)
    print("ready", flush=True)
    while True:
        signal.pause()

if verb == "wait":
    for _ in range(500):
        if bus.name_has_owner(NAME):
            sys.exit(0)
        time.sleep(0.02)
    sys.exit("no keyring came")

root = bus.get_object(NAME, "/org/freedesktop/secrets")
service = dbus.Interface(root, SERVICE)
_, session = service.OpenSession("plain", dbus.String("", variant_level=1))
path = service.ReadAlias("default")
if verb == "lock":
    service.Lock([path])
elif verb == "unlock":
    secret = dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(words[0].encode()), "text/plain"), signature="oayays")
    dbus.Interface(root, MASTER).UnlockWithMasterPassword(path, secret)
else:
    collection = dbus.Interface(bus.get_object(NAME, path), COLLECTION)
    attributes = dict(word.split("=", 1) for word in words[1:] if "=" in word)
    if verb == "put":
        # Every client of libsecret gives a schema. The daemon adds it to an item without one, but not at once: when it reads
        # its file again, which it does if two writes fall into different seconds.
        attributes.setdefault("xdg:schema", "org.freedesktop.Secret.Generic")
        properties = {
            "org.freedesktop.Secret.Item.Label": dbus.String("other", variant_level=1),
            "org.freedesktop.Secret.Item.Attributes": dbus.Dictionary(attributes, signature="ss", variant_level=1),
        }
        secret = dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(words[0].encode()), "text/plain"), signature="oayays")
        collection.CreateItem(dbus.Dictionary(properties, signature="sv"), secret, False)
    elif verb == "list":
        # Every item: its attributes and its secret, a line each, in an order that the service does not keep.
        lines = []
        for item in bus.get_object(NAME, path).Get(COLLECTION, "Items", dbus_interface="org.freedesktop.DBus.Properties"):
            one = bus.get_object(NAME, item)
            found = one.Get("org.freedesktop.Secret.Item", "Attributes", dbus_interface="org.freedesktop.DBus.Properties")
            text = dbus.Interface(one, "org.freedesktop.Secret.Item").GetSecret(session)[2]
            pairs = " ".join(sorted(f"{key}={value}" for key, value in found.items()))
            lines.append(f"{bytes(text).decode()} {pairs}")
        print("\n".join(sorted(lines)))
    elif verb == "spoil":
        for item in bus.get_object(NAME, path).Get(COLLECTION, "Items", dbus_interface="org.freedesktop.DBus.Properties"):
            one = dbus.Interface(bus.get_object(NAME, item), "org.freedesktop.Secret.Item")
            one.SetSecret(dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(words[0].encode()), "text/plain"), signature="oayays"))
    else:
        sys.exit("unknown verb")
