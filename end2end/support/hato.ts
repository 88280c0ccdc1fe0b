// The real server, on a fresh SQLite file, reaching the stand-in push service.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Program } from './program.ts';
import type { PushService } from './push-service.ts';

export class Hato {
  private constructor(
    readonly url: string,
    private readonly program: Program,
    private readonly dataDir: string,
  ) {}

  static async start(push: PushService): Promise<Hato> {
    const dataDir = await mkdtemp(join(tmpdir(), 'hato-'));
    const env = {
      HATO_LISTEN: '127.0.0.1:0',
      HATO_DATA_DIR: dataDir,
      HATO_VAPID_SUBJECT: 'mailto:owner@example.com',
      HATO_OUTBOUND_ALLOW: '127.0.0.0/8',
      HATO_OUTBOUND_CA: push.caFile,
    };
    const [program, port] = await Program.start('hato-server', ['serve'], env, (line) =>
      line.match(/listening on http:\/\/127\.0\.0\.1:(\d+)/)?.[1],
    );
    return new Hato(`http://localhost:${port}`, program, dataDir);
  }

  /** Calls the API as a customer's server does. */
  async api(method: string, path: string, key: string, body?: unknown): Promise<{ status: number; json: any }> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, json: await answer.json() };
  }

  async stop(): Promise<void> {
    await this.program.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
