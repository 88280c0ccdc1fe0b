"""A desktop's notification service on a private D-Bus, as the Desktop Notifications Specification 1.2 says.

Run by `dbus-run-session`. Prints one JSON object a line: first the bus's address, then each notification with its id, title,
body and buttons (keys by label), and each closed one. A line on standard input with an id and a key clicks that notification's
button, the notification itself if the key is `default`, or its cross if it is `dismiss`. Ends when standard input closes.
"""

import json
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"


def emit(**message):
    print(json.dumps(message), flush=True)


class Daemon(dbus.service.Object):
    last = 0

    @dbus.service.method(NAME, in_signature="", out_signature="ssss")
    def GetServerInformation(self):
        return "hato-desktop", "Hato", "1", "1.2"

    @dbus.service.method(NAME, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body", "persistence"]

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, title, body, actions, hints, timeout):
        if not replaces:
            self.last += 1
        shown = replaces or self.last
        keys = [str(action) for action in actions]
        buttons = dict(zip(keys[1::2], keys[::2]))
        emit(id=int(shown), title=str(title), body=str(body), buttons=buttons)
        return dbus.UInt32(shown)

    @dbus.service.method(NAME, in_signature="u", out_signature="")
    def CloseNotification(self, shown):
        emit(closed=int(shown))
        self.NotificationClosed(shown, dbus.UInt32(3))

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, shown, reason):
        pass

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, shown, action):
        pass


def main():
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    # The name is ours as long as this lives.
    owned = dbus.service.BusName(NAME, bus)
    daemon = Daemon(owned, "/org/freedesktop/Notifications")
    loop = GLib.MainLoop()

    def read(channel, condition):
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        shown, key = line.split()
        if key == "dismiss":
            daemon.NotificationClosed(dbus.UInt32(int(shown)), dbus.UInt32(2))
        else:
            daemon.ActionInvoked(dbus.UInt32(int(shown)), key)
        return True

    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, read)
    emit(address=os.environ["DBUS_SESSION_BUS_ADDRESS"])
    loop.run()


main()
