// Starting the project's programs and ending them again.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const binaries = resolve(process.env.HATO_BIN_DIR ?? join(import.meta.dirname, '../../target/debug'));

export class Program {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts `name` and resolves with what `ready` makes of the first line that it accepts, on either output. */
  static async start<T>(
    name: string,
    args: string[],
    env: Record<string, string>,
    ready: (line: string) => T | undefined,
  ): Promise<[Program, T]> {
    const child = spawn(join(binaries, name), args, { env: { ...process.env, ...env }, stdio: 'pipe' });
    const lines: string[] = [];
    const found = new Promise<T>((resolve, reject) => {
      const read = (line: string) => {
        lines.push(line);
        const value = ready(line);
        if (value !== undefined) resolve(value);
      };
      createInterface({ input: child.stdout }).on('line', read);
      createInterface({ input: child.stderr }).on('line', read);
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`${name} ended with ${code}:\n${lines.join('\n')}`)));
    });
    return [new Program(child), await found];
  }

  /** Runs `name` to its end, which has to be a good one. */
  static async run(name: string, args: string[], env: Record<string, string>): Promise<void> {
    await promisify(execFile)(join(binaries, name), args, { env: { ...process.env, ...env } });
  }

  /** Asks the program to end and waits until it has. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}
