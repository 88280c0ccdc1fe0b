// The real server, on a fresh database, reaching the stand-in push service.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Program } from './program.ts';
import type { PushService } from './push-service.ts';

/** Which database a server has: an SQLite file in its data folder, or one of a PostgreSQL that is started for it. */
export type Database = 'sqlite' | 'postgres';

/** On PostgreSQL a server makes none of its own. */
const secrets = { HATO_PEPPER: 'ab'.repeat(32), HATO_ENCRYPTION_KEY: 'cd'.repeat(32) };

const account = { email: 'baker@example.com', password: 'correct horse' };

export class Hato {
  private session?: string;
  private program!: Program;
  private postgres?: Program;
  private database: Record<string, string> = {};
  private port = 0;

  private constructor(
    private readonly push: PushService,
    private readonly folder: string,
    private readonly settings: Record<string, string>,
  ) {}

  /** @param settings Variables beside the usual ones. */
  static async start(
    push: PushService,
    settings: Record<string, string> = {},
    database: Database = 'sqlite',
  ): Promise<Hato> {
    const hato = new Hato(push, await mkdtemp(join(tmpdir(), 'hato-')), settings);
    if (database === 'postgres') await hato.startPostgres();
    await hato.resume();
    return hato;
  }

  private async startPostgres(): Promise<void> {
    const [postgres, url] = await Program.start('hato-postgres', [], {}, (line) =>
      line.startsWith('postgres:') ? line : undefined,
    );
    this.postgres = postgres;
    this.database = { HATO_DATABASE_URL: url, ...secrets };
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** Starts the server; after {@link pause} at the same address as before. */
  async resume(): Promise<void> {
    const env = {
      HATO_LISTEN: `127.0.0.1:${this.port}`,
      HATO_DATA_DIR: this.data,
      HATO_DEFAULT_PLAN: 'pro',
      HATO_VAPID_SUBJECT: 'mailto:owner@example.com',
      HATO_OUTBOUND_ALLOW: '127.0.0.0/8',
      // All browsers of a test come from one address.
      HATO_REGISTRATIONS_PER_MINUTE: '0',
      HATO_OUTBOUND_CA: this.push.caFile,
      ...this.database,
      ...this.settings,
    };
    const [program, port] = await Program.start('hato-server', ['serve'], env, (line) =>
      line.match(/listening on http:\/\/127\.0\.0\.1:(\d+)/)?.[1],
    );
    this.program = program;
    this.port = Number(port);
  }

  /** Ends the server and keeps its data. */
  pause(): Promise<void> {
    return this.program.stop();
  }

  /** Copies the server's data folder, with its SQLite file; the server is down meanwhile. */
  async backUp(): Promise<void> {
    await this.pause();
    await cp(this.data, this.backup, { recursive: true });
    await this.resume();
  }

  /** Puts the copy back: the server forgets what happened since {@link backUp}. */
  async restore(): Promise<void> {
    await this.pause();
    await rm(this.data, { recursive: true });
    await cp(this.backup, this.data, { recursive: true });
    await this.resume();
  }

  /** The session of the account that owns all apps of the tests. */
  async ownerSession(): Promise<string> {
    if (!this.session) {
      const { json } = await this.api('POST', '/auth/register', undefined, account);
      this.session = json.session_token as string;
    }
    return this.session;
  }

  /** Gives an account another plan, as the operator does. */
  async setPlan(email: string, plan: 'free' | 'pro'): Promise<void> {
    const env = { HATO_DATA_DIR: this.data, ...this.database };
    await Program.run('hato-server', ['admin', 'set-plan', email, plan], env);
  }

  /** Gives an account the page of accounts and plans. */
  async makeOperator(email: string): Promise<void> {
    const env = { HATO_DATA_DIR: this.data, ...this.database };
    await Program.run('hato-server', ['admin', 'make-operator', email], env);
  }

  /** Calls the API as a program does. */
  async api(
    method: string,
    path: string,
    bearer?: string,
    body?: unknown,
  ): Promise<{ status: number; json: any }> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, json: await answer.json() };
  }

  /** Ends the server and removes its data. */
  async stop(): Promise<void> {
    await this.pause();
    await this.postgres?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The folder of its database. */
  get data(): string {
    return join(this.folder, 'data');
  }

  private get backup(): string {
    return join(this.folder, 'backup');
  }
}
