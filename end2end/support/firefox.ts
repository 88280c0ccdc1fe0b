// A real Firefox whose push service is the stand-in.

import puppeteer, { type Browser } from 'puppeteer-core';

import type { PushService } from './push-service.ts';

interface FirefoxOptions {
  /** The folder of a profile that outlives the browser; a fresh one if not given. */
  profile?: string;
  /** Settings beside the usual ones. */
  prefs?: Record<string, unknown>;
}

export function startFirefox(push: PushService, { profile, prefs }: FirefoxOptions = {}): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    userDataDir: profile,
    extraPrefsFirefox: {
      'dom.push.serverURL': push.websocketUrl,
      'dom.push.testing.allowInsecureServerURL': true,
      'dom.push.connection.enabled': true,
      'dom.push.retryBaseInterval': 100,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
      'intl.accept_languages': 'ja',
      ...prefs,
    },
  });
}
