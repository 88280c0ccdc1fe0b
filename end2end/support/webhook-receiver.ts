// A customer's server that takes the events of a webhook, with a certificate that the server trusts.

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { PushService } from './push-service.ts';

export interface ReceivedEvent {
  id: string;
  type: string;
  /** The signatures, each without its version. */
  signatures: string[];
  /** The text that the signatures are over: `id.timestamp.body`. */
  signed: string;
}

interface StubResponse {
  status: number;
  body: string;
}

export class WebhookReceiver {
  private readonly answers = new Map<string, StubResponse>();
  private readonly received: ReceivedEvent[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => this.receive(request, response));
  }

  static async start(push: PushService): Promise<WebhookReceiver> {
    const pem = await readFile(push.serverFile);
    const server = createServer({ cert: pem, key: pem }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server);
  }

  /** The address of events at this path. */
  url(path: string): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** From now on events at this path get this answer; before that, 204. */
  answer(path: string, status: number, body = ''): void {
    this.answers.set(path, { status, body });
  }

  /** The next event, once it has come. */
  async next(): Promise<ReceivedEvent> {
    while (this.received.length === 0) await once(this.server, 'received');
    return this.received.shift()!;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const header = (name: string) => String(request.headers[name]);
    const id = header('webhook-id');
    this.received.push({
      id,
      type: JSON.parse(body).type,
      signatures: header('webhook-signature').split(' ').map((it) => it.replace('v1,', '')),
      signed: `${id}.${header('webhook-timestamp')}.${body}`,
    });
    const answer = this.answers.get(request.url!) ?? { status: 204, body: '' };
    response.writeHead(answer.status, { 'content-type': 'text/plain; charset=utf-8' }).end(answer.body);
    this.server.emit('received');
  }
}

/** The signature of `signed` with a secret (Standard Webhooks, v1). */
export function sign(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
