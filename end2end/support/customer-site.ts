// A customer's site on an origin of its own: a page with Hato's page script, and the one-line service worker.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CustomerSite {
  url: string;
  stop(): Promise<void>;
}

const page = (hato: string, appKey: string) => `<!doctype html>
<html lang="ja"><meta charset="utf-8"><title>はとパン</title><link rel="icon" href="data:,">
<script src="${hato}/sdk/hato.js"></script>
<h1>はとパン</h1>
<button id="subscribe">通知を受け取る</button>
<output id="state"></output>
<script>
  const state = document.querySelector('#state');
  const show = async () => { state.textContent = await hato.state(); };
  hato.init({ baseUrl: ${JSON.stringify(hato)}, appKey: ${JSON.stringify(appKey)} })
    .then(show, (error) => { state.textContent = 'error: ' + error.message; });
  document.querySelector('#subscribe').addEventListener('click', () =>
    hato.subscribe().then(show, (error) => { state.textContent = 'error: ' + error.message; }));
</script></html>`;

export async function startCustomerSite(hato: string, appKey: string): Promise<CustomerSite> {
  const server: Server = createServer((request, response) => {
    const files: Record<string, [string, string]> = {
      '/': ['text/html; charset=utf-8', page(hato, appKey)],
      '/hato-sw.js': ['text/javascript', `importScripts(${JSON.stringify(`${hato}/sdk/sw.js`)});`],
    };
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', 'not found'];
    response.writeHead(body === 'not found' ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
