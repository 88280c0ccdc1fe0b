// What the SDK costs a visitor and how quickly it acts: printed, and written to target/bench/browser.json.

import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Browser } from 'puppeteer-core';

import { SiteWorker, startChromium } from '../support/chromium.ts';
import { samples } from '../support/customer-site.ts';
import { Desktop } from '../support/desktop.ts';
import type { Hato } from '../support/hato.ts';
import { expect, test } from '../support/fixtures.ts';

const ROUNDS = 20;
const sizeLimits = { 'sw.js': 24_576, 'hato.js': 6_144, 'hato.mjs': 6_144, 'bell.js': 3_072, 'preferences.js': 3_072 };
const results = join(import.meta.dirname, '../../target/bench');

interface Row {
  what: string;
  measured: number;
  limit: number;
  unit: 'bytes' | 'ms';
  /** Smallest, and largest, of a median's values. */
  range?: [number, number];
}

function medianRow(what: string, limit: number, values: number[]): Row {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  const round = (value: number) => Math.round(value * 10) / 10;
  const range: [number, number] = [round(sorted[0]!), round(sorted.at(-1)!)];
  return { what, measured: round(median), limit, unit: 'ms', range };
}

async function sizes(hato: Hato): Promise<Row[]> {
  const rows = Object.entries(sizeLimits).map(async ([file, limit]): Promise<Row> => {
    const content = Buffer.from(await (await fetch(`${hato.url}/sdk/${file}`)).arrayBuffer());
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const measured = brotliCompressSync(content, { params }).length;
    return { what: `${file}, brotli 11`, measured, limit, unit: 'bytes' };
  });
  return Promise.all(rows);
}

/** Milliseconds from a push to the notification on the desktop, each time with a stopped worker. */
async function pushes(worker: SiteWorker, desktop: Desktop): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await worker.stop();
    const title = `便り ${round}`;
    const begin = performance.now();
    const [shown] = await Promise.all([desktop.next(), worker.push(JSON.stringify({ title, body: '本文' }))]);
    expect(shown.title).toBe(title);
    times.push(shown.at - begin);
  }
  return times;
}

interface Start {
  parse: number;
  instantiate: number;
  title: string;
}

/** In a fresh worker, which has neither the script nor the wasm in a cache: how long each takes. */
async function starts(worker: SiteWorker, hato: Hato): Promise<Start[]> {
  return worker.page.evaluate(
    async (address: string, rounds: number) => {
      const script = await (await fetch(address)).text();
      const harness = () => {
        onmessage = ({ data }) => {
          let shown = { at: 0, title: '' };
          const registration = {
            showNotification(title: string) {
              shown = { at: performance.now(), title };
              return Promise.resolve();
            },
          };
          Object.assign(globalThis, { registration });
          // This worker is not called hato-sw.js, and whose push it is need not be looked up here.
          Object.defineProperty(globalThis, 'indexedDB', { value: undefined });
          const begin = performance.now();
          (0, eval)(data);
          const parsed = performance.now();
          let shows = Promise.resolve();
          const push = { data: { text: () => '{"title":"t"}' }, waitUntil: (work: Promise<void>) => (shows = work) };
          dispatchEvent(Object.assign(new Event('push'), push));
          shows.then(() => {
            postMessage({ parse: parsed - begin, instantiate: shown.at - parsed, title: shown.title });
          });
        };
      };
      const url = URL.createObjectURL(new Blob([`(${harness})()`]));
      const all: Start[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const fresh = new Worker(url);
        const measured = new Promise<Start>((resolve) => (fresh.onmessage = ({ data }) => resolve(data)));
        fresh.postMessage(script);
        all.push(await measured);
        fresh.terminate();
      }
      return all;
    },
    `${hato.url}/sdk/sw.js`,
    ROUNDS,
  );
}

function line({ what, measured, limit, unit, range }: Row): string {
  const spread = range ? `${range[0]} to ${range[1]}` : '';
  const verdict = measured <= limit ? '' : '  OVER';
  return `${what.padEnd(40)} ${String(measured).padStart(8)} ${unit.padEnd(5)} of ${String(limit).padStart(6)}  ${spread}${verdict}`;
}

async function write(browser: Browser, rows: Row[]): Promise<void> {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, browser: await browser.version() };
  await mkdir(results, { recursive: true });
  const path = join(results, 'browser.json');
  await writeFile(path, `${JSON.stringify({ machine, rounds: ROUNDS, rows }, undefined, 2)}\n`);
}

test('the SDK is small and quick', async ({ hato, open }) => {
  const desktop = await Desktop.start();
  const chromium = await startChromium(desktop);
  const worker = await SiteWorker.install(chromium, await open({ policy: 'open' }));
  const folder = join(samples, 'existing-worker/imported');
  const imported = await SiteWorker.install(chromium, await open({ folder }), '/sw.js');

  const rows = await sizes(hato);
  const started = await starts(worker, hato);
  expect(new Set(started.map(({ title }) => title))).toEqual(new Set(['t']));
  rows.push(medianRow('push to notification, worker stopped', 150, await pushes(worker, desktop)));
  await hato.pause();
  rows.push(medianRow('the same with the server down', 150, await pushes(worker, desktop)));
  rows.push(medianRow('the same in a worker of the site', 150, await pushes(imported, desktop)));
  const whole = started.map(({ parse, instantiate }) => parse + instantiate);
  rows.push(medianRow('parse + instantiate, in a fresh worker', 15, whole));
  await hato.resume();

  console.log(`\n${rows.map(line).join('\n')}\n`);
  await write(chromium, rows);
  for (const site of [worker, imported]) await site.close();
  await chromium.close();
  await desktop.stop();
  for (const { what, measured, limit } of rows) expect(measured, what).toBeLessThanOrEqual(limit);
});
