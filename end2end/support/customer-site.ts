// A customer's site of crates/testkit: a folder of samples on an origin of its own.

import { join } from 'node:path';

import type { App } from './app.ts';
import type { Hato } from './hato.ts';
import { Program } from './program.ts';

/** The folder of the sample sites. */
export const samples = join(import.meta.dirname, '../samples');

export interface SiteOptions {
  /** The site's files; `samples/plain` if not given. */
  folder?: string;
  /** The site's Content-Security-Policy. */
  policy?: 'strict' | 'without-wasm' | 'open';
  /** The port, for a site that takes the origin of one that has stopped; any free one if not given. */
  port?: number;
  /** The address at which visitors reach Hato, such as a fault proxy; the server's own if not given. */
  server?: { url: string };
}

export class CustomerSite {
  private constructor(
    readonly url: string,
    /** The server's address in the site's pages. */
    readonly server: string,
    private readonly program: Program,
  ) {}

  get port(): number {
    return Number(new URL(this.url).port);
  }

  static async start(hato: Hato, app: Pick<App, 'subscribeKey'>, options: SiteOptions = {}): Promise<CustomerSite> {
    const { folder = join(samples, 'plain'), policy = 'strict', port = 0, server = hato } = options;
    const args = ['--hato', server.url, '--app-key', app.subscribeKey, '--folder', folder];
    args.push('--policy', policy, '--listen', `127.0.0.1:${port}`);
    const [program, url] = await Program.start('hato-customer-site', args, {}, (line) =>
      line.startsWith('http') ? line : undefined,
    );
    return new CustomerSite(url, server.url, program);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
