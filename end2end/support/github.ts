// A stand-in for GitHub: whoever comes there is logged in, and agrees at once.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect } from '@playwright/test';

import type { Hato } from './hato.ts';

export class Github {
  /** The verified address of who is logged in. */
  email = '';
  /** The server to which people come back. */
  site = '';

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => this.answer(request, response));
  }

  static async start(): Promise<Github> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Github(server);
  }

  /** The variables of a server whose people log in here. */
  get settings(): Record<string, string> {
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return {
      HATO_GITHUB_CLIENT_ID: 'hato',
      HATO_GITHUB_CLIENT_SECRET: 'secret',
      HATO_GITHUB_AUTHORIZE_URL: `${url}/authorize`,
      HATO_GITHUB_TOKEN_URL: `${url}/token`,
      HATO_GITHUB_API_URL: url,
    };
  }

  /** Logs somebody in; resolves with their session. */
  async logIn(hato: Hato, email: string): Promise<string> {
    this.email = email;
    this.site = hato.url;
    const away = await fetch(`${hato.url}/auth/github`, { redirect: 'manual' });
    const back = await fetch(away.headers.get('location')!, { redirect: 'manual' });
    const headers = { cookie: away.headers.get('set-cookie')!.split(';')[0]! };
    const entered = await fetch(back.headers.get('location')!, { redirect: 'manual', headers });
    const session = entered.headers.get('set-cookie')?.match(/hato_session=([^;]+)/)?.[1];
    expect(session, `${entered.status}`).toBeTruthy();
    return session!;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** The code and the token are the address itself. */
  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const email = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'hex').toString();
    switch (pathname) {
      case '/authorize': {
        const code = Buffer.from(this.email).toString('hex');
        const query = new URLSearchParams({ code, state: searchParams.get('state')! });
        response.writeHead(302, { location: `${this.site}/auth/github/callback?${query}` }).end();
        return;
      }
      case '/token': {
        const code = new URLSearchParams(await text(request)).get('code');
        json({ access_token: code, token_type: 'bearer', scope: 'user:email' });
        return;
      }
      case '/user':
        json({ id: [...email].reduce((id, letter) => (id * 31 + letter.charCodeAt(0)) % 1_000_000_007, 7) });
        return;
      default:
        json([{ email, primary: true, verified: true }]);
    }
  }
}
