// A proxy between browsers and the server, which may be slow, broken, or answer for itself.

import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer that the proxy gives instead of the server's; without a status the connection ends without an answer. */
export interface Fault {
  status?: number;
  body?: string;
}

/** A request that the proxy has not forwarded yet. */
export interface HeldRequest {
  /** Resolves when the request has come. */
  arrived: Promise<void>;
  /** Forwards it. */
  release(): void;
}

export class FaultProxy {
  /** The requests to the API without CORS preflights, such as `POST /api/v1/subscriptions`. */
  readonly requests: string[] = [];
  private readonly faults = new Map<string, Fault>();
  private readonly holds = new Map<string, () => Promise<void>>();

  private constructor(
    private readonly server: Server,
    private readonly hato: { url: string },
  ) {
    server.on('request', (request, response) => this.answer(request, response));
  }

  static async start(hato: { url: string }): Promise<FaultProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, hato);
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on requests such as `POST /api/v1/subscriptions` get this fault; without one, the server's answer again. */
  fail(what: string, fault?: Fault): void {
    if (fault) this.faults.set(what, fault);
    else this.faults.delete(what);
  }

  /** Keeps the next such request until it is released. */
  hold(what: string): HeldRequest {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const arrived = new Promise<void>((resolve) => {
      this.holds.set(what, () => {
        this.holds.delete(what);
        resolve();
        return released;
      });
    });
    return { arrived, release };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const what = `${request.method} ${request.url}`;
    if (what.includes(' /api') && request.method !== 'OPTIONS') this.requests.push(what);
    await this.holds.get(what)?.();
    const fault = this.faults.get(what);
    if (!fault) this.forward(request, response);
    else if (!fault.status) request.socket.destroy();
    else response.writeHead(fault.status, { 'access-control-allow-origin': '*' }).end(fault.body);
  }

  private forward(from: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = from;
    const forwarded = httpRequest(this.hato.url + from.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    // A browser that went away meanwhile is no fault, and a server that did is one that cannot be reached.
    forwarded.on('error', () => from.socket.destroy());
    from.pipe(forwarded);
  }
}
