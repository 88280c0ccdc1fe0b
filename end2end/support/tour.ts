// A walk through every page of the dashboard in every state, as visitor and as owner.

import { type Browser, type BrowserContextOptions, type Page, expect } from '@playwright/test';

import { type Loft, routes } from './loft.ts';
import { type Watched, openSignedIn, openWatched } from './watched.ts';

/** Which stops, by name; all by default. */
const only = process.env.HATO_PAGES?.split(',');

/** How the dashboard is looked at. */
export interface Look {
  name: string;
  options: BrowserContextOptions;
}

/** Every combination of these widths with both themes and both languages. */
export function everyLook(widths: number[]): Look[] {
  const looks: Look[] = [];
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const locale of ['ja-JP', 'en-GB']) {
        const options = { locale, colorScheme, viewport: { width, height: 900 } };
        looks.push({ name: `${width}-${colorScheme}-${locale.slice(0, 2)}`, options });
      }
    }
  }
  return looks;
}

/** Looks at every stop of the loft. Fails when a page of the dashboard is not among them, or a console says anything. */
export async function tour(
  browser: Browser,
  hato: string,
  loft: Loft,
  options: BrowserContextOptions,
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  expect(await unvisited(loft), 'pages that are no stop').toEqual([]);
  const open = new Map<string | undefined, Watched>();
  const enter = async (session?: string) => {
    const settings = { baseURL: hato, ...options };
    const watched = await (session ? openSignedIn(browser, hato, session, settings) : openWatched(browser, settings));
    open.set(session, watched);
    return watched;
  };
  for (const { name, path, session, act, shows } of loft.stops) {
    if (only && !only.includes(name)) continue;
    const { page } = open.get(session) ?? (await enter(session));
    await page.goto(path);
    await act?.(page);
    if (shows) await expect(page.locator(shows).first(), name).toBeVisible();
    await alive(page);
    await look(page, name);
  }
  for (const { page, complaints } of open.values()) {
    expect(complaints).toEqual([]);
    await page.context().close();
  }
}

/** The pages that no stop is on. */
async function unvisited(loft: Loft): Promise<string[]> {
  const paths = loft.stops.map(({ path }) => new URL(path, 'http://localhost').pathname);
  const patterns = await routes();
  const like = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`);
  return patterns.filter((pattern) => !paths.some((path) => like(pattern).test(path)));
}

/** Resolves once the page's islands are alive. */
async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('button.copy[hidden]'));
}
