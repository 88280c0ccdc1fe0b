// A desktop of its own for a browser: what it shows, and a user who clicks on it.

import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface OnDesktop {
  id: number;
  title: string;
  body: string;
  /** When it was shown, on the clock of `performance.now()`. */
  at: number;
}

export class Desktop {
  private readonly events = new EventEmitter();
  /** What was shown and not yet asked for. */
  private readonly waiting: OnDesktop[] = [];
  private readonly closed = new Set<number>();
  /** The D-Bus on which it is. */
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
    // The bus itself has something to say at each start.
    const said: string[] = [];
    child.stderr.on('data', (text) => said.push(String(text)));
    const desktop = new Desktop(child);
    await new Promise<void>((resolve, reject) => {
      desktop.events.once('ready', resolve);
      child.once('exit', () => reject(new Error(`no desktop: ${said.join('')}`)));
    });
    return desktop;
  }

  private read(facts: { address?: string; closed?: number } & Omit<OnDesktop, 'at'>): void {
    if (facts.address) {
      this.address = facts.address;
      this.events.emit('ready');
    } else if (facts.closed) {
      this.closed.add(facts.closed);
      this.events.emit('closed');
    } else {
      this.waiting.push({ ...facts, at: performance.now() });
      this.events.emit('shown');
    }
  }

  /** The next notification that is shown. */
  async next(): Promise<OnDesktop> {
    while (this.waiting.length === 0) await once(this.events, 'shown');
    return this.waiting.shift()!;
  }

  click({ id }: OnDesktop): void {
    this.child.stdin!.write(`${id}\n`);
  }

  /** Waits until the browser has taken the notification away. */
  async isClosed({ id }: OnDesktop): Promise<void> {
    while (!this.closed.has(id)) await once(this.events, 'closed');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin!.end();
    await ended;
  }
}
