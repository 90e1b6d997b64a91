import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHex } from '../../util/crypto'
import type { Io } from '../kit/io'

/** A program that passes the address on is done by then; one that stays is the browser itself. */
const SETTLED_MS = 3_000
/** No login code is good for longer, so that a page that leads to one is of no more use. */
const PAGE_MS = 180_000

/**
 * Shows an address of ours in the person's browser, by the desktop's own program for that. The address may hold a login code, and other
 * users see the arguments of programs: the browser is given a page of `home`, which its owner alone can read, and which leads on.
 *
 * @param url  of the server that the caller speaks to, over HTTP
 * @param home  Lodeline's folder
 * @returns `false` when there is no desktop here or its program failed
 */
export async function openBrowser(
  url: string,
  home: string,
  io: Io,
  platform: string = process.platform,
): Promise<boolean> {
  const program = findOpener(io.env, platform)
  if (program === null || !/^https?:\/\//.test(url)) return false
  try {
    const page = writePage(join(home, 'open'), url)
    const child = Bun.spawn([program, page], { env: io.env, stdio: ['ignore', 'ignore', 'ignore'] })
    child.unref()
    const code = await Promise.race([child.exited, Bun.sleep(SETTLED_MS)])
    return code === undefined || code === 0
  } catch {
    return false
  }
}

/** The page stays, since nobody tells when a browser has read it: the next one removes it. */
function writePage(folder: string, url: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const seen = statSync(path, { throwIfNoEntry: false })
    if (seen !== undefined && Date.now() - seen.mtimeMs > PAGE_MS) rmSync(path, { force: true })
  }
  const path = join(folder, `${randomHex(16)}.html`)
  writeFileSync(path, pageTo(url), { mode: 0o600, flag: 'wx' })
  return path
}

const pageTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Lodeline</title>
<meta http-equiv="refresh" content="0; url=${Bun.escapeHTML(new URL(url).href)}">
`

/** Whether there is a desktop here that shows pages. */
export const hasBrowser = ({ env }: Io): boolean => findOpener(env, process.platform) !== null

/** On a terminal without a desktop `xdg-open` would start a browser of text in it. */
function findOpener(env: Io['env'], platform: string): string | null {
  const find = (name: string) => Bun.which(name, { PATH: env.PATH ?? '' })
  if (platform === 'darwin') return find('open')
  const isWindowsBelow = Boolean(env.WSL_DISTRO_NAME || env.WSL_INTEROP)
  const opener = isWindowsBelow ? find('wslview') : null
  return opener ?? (env.DISPLAY || env.WAYLAND_DISPLAY ? find('xdg-open') : null)
}
