/** A Chromium for tests: started once for a test file, a context of its own for each test. */
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions } from 'playwright-core'
import { type ChromiumBinary, type FindOptions, findChromium } from './chromium-binary'
import { fontSettings } from './fonts'

/**
 * Nothing of the browser's own may reach out, and nothing asks for a screen. `--no-sandbox` is Playwright's default, by
 * which it starts as root as well; the pages are ours.
 */
export const FLAGS = [
  '--headless=new',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--no-pings',
  '--font-render-hinting=none',
  // Some builds ask for updates and accounts whatever the flags: no name but the loopback's is found.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** A browser with its binary's name, for figures. */
export interface Chromium {
  browser: Browser
  binary: ChromiumBinary
}

/**
 * Finds and starts a browser with an empty profile below the system's temporary folder; `close` removes it.
 *
 * @throws Error  none can be had, or it doesn't start
 */
export async function launchChromium(
  find: FindOptions = {},
  { args = [], ...options }: Pick<LaunchOptions, 'args' | 'ignoreDefaultArgs' | 'timeout'> = {},
): Promise<Chromium> {
  const binary = await findChromium(find)
  const browser = await chromium.launch({
    ...options,
    executablePath: binary.path,
    env: { ...browserEnvironment(binary), FONTCONFIG_FILE: fontSettings() },
    args: [...FLAGS, ...args],
    // The test run's own signal ends all; the browser's handlers would keep it from being reported.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
  return { browser, binary }
}

/** What two pages are the same by, unless a test asks for another. */
export const CONTEXT: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  locale: 'en-GB',
  timezoneId: 'UTC',
  colorScheme: 'light',
  // A page that fetched its scripts from a worker of its own would hide requests from the test.
  serviceWorkers: 'block',
}

/** Nothing of the caller's but what starts a program. */
function browserEnvironment({ env }: ChromiumBinary): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH']
  const own = kept.flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(own), ...env }
}
