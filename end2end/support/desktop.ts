// A desktop of its own for a browser: what it shows, and a user who clicks on it.

import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface DesktopNotification {
  id: number;
  title: string;
  body: string;
  /** The buttons' keys by their labels. */
  buttons: Record<string, string>;
  /** The time when it was shown, in milliseconds on the clock of `performance.now()`. */
  at: number;
}

export class Desktop {
  private readonly events = new EventEmitter();
  /** Notifications that were shown and that no `next` has taken yet. */
  private readonly waiting: DesktopNotification[] = [];
  private readonly closed = new Set<number>();
  /** The address of its D-Bus session, for DBUS_SESSION_BUS_ADDRESS. */
  address = '';

  private constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on('line', (line) => this.read(JSON.parse(line)));
  }

  static async start(): Promise<Desktop> {
    const script = join(import.meta.dirname, 'notification-daemon.py');
    // The system's Python, which has Debian's bindings.
    const child = spawn('dbus-run-session', ['--', '/usr/bin/python3', script], {
      stdio: 'pipe',
    });
    // dbus-run-session writes warnings at each start, so this is shown only when the start fails.
    const stderr: string[] = [];
    child.stderr.on('data', (text) => stderr.push(String(text)));
    const desktop = new Desktop(child);
    await new Promise<void>((resolve, reject) => {
      desktop.events.once('ready', resolve);
      child.once('exit', () => reject(new Error(`no desktop: ${stderr.join('')}`)));
    });
    return desktop;
  }

  private read(message: { address?: string; closed?: number } & Omit<DesktopNotification, 'at'>): void {
    if (message.address) {
      this.address = message.address;
      this.events.emit('ready');
    } else if (message.closed) {
      this.closed.add(message.closed);
      this.events.emit('closed');
    } else {
      this.waiting.push({ ...message, at: performance.now() });
      this.events.emit('shown');
    }
  }

  /** Resolves with the next notification that is shown. */
  async next(): Promise<DesktopNotification> {
    while (this.waiting.length === 0) await once(this.events, 'shown');
    return this.waiting.shift()!;
  }

  click({ id }: DesktopNotification): void {
    this.child.stdin!.write(`${id} default\n`);
  }

  /** Clicks on the button with this label. */
  clickButton({ id, buttons }: DesktopNotification, label: string): void {
    const key = buttons[label];
    if (!key) throw new Error(`no button ${label} in ${JSON.stringify(buttons)}`);
    this.child.stdin!.write(`${id} ${key}\n`);
  }

  /** Closes it without a click on it. */
  dismiss({ id }: DesktopNotification): void {
    this.child.stdin!.write(`${id} dismiss\n`);
  }

  /** Waits until the browser has taken the notification away. */
  async waitClosed({ id }: DesktopNotification): Promise<void> {
    while (!this.closed.has(id)) await once(this.events, 'closed');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin!.end();
    await ended;
  }
}
