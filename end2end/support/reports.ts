// What browsers report of notifications: what waits to be told in a site's origin, and what the server has counted.

import { expect } from '@playwright/test';

import type { App } from './app.ts';
import type { Hato } from './hato.ts';
import type { PushService } from './push-service.ts';

/** How many displayed, clicked and dismissed the send. */
export async function counts(app: App, send: string): Promise<number[]> {
  const { displayed_count, clicked_count, dismissed_count } = await app.record(send);
  return [displayed_count, clicked_count, dismissed_count];
}

/** Registers a subscription of no real browser, whose messages can be read; resolves with its endpoint. */
export async function registerStandIn(hato: Hato, push: PushService, app: App): Promise<string> {
  const [subscriber] = await push.subscribe(1);
  const { endpoint, p256dh, auth } = subscriber!;
  const registered = await hato.api('POST', '/api/v1/subscriptions', app.subscribeKey, { endpoint, p256dh, auth });
  expect(registered.status).toBe(201);
  return endpoint;
}

/** Runs in the page: what waits to be told. */
export function readReports(): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('hato-push');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const reading = opening.result.transaction('values').objectStore('values').get('reports');
      reading.onsuccess = () => resolve(reading.result ?? []);
      opening.result.close();
    };
  });
}

/** Runs in the page: these reports, and no others, were not told. */
export function keepReports(reports: object[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('hato-push');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('values', 'readwrite');
      transaction.objectStore('values').put(reports, 'reports');
      transaction.oncomplete = () => resolve();
      opening.result.close();
    };
  });
}

/** Runs in the page: whether the worker will know the server's address. */
export function hasSettings(): Promise<boolean> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('hato-push', 1);
    opening.onerror = () => resolve(false);
    opening.onupgradeneeded = () => opening.transaction!.abort();
    opening.onsuccess = () => {
      const reading = opening.result.transaction('values').objectStore('values').getAllKeys();
      reading.onsuccess = () => resolve(reading.result.some((key) => String(key).startsWith('settings ')));
      opening.result.close();
    };
  });
}
