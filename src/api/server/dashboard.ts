import { AppError } from '../../domain/errors'
import { VERSION_HEADER } from '../contract/protocol'

export type Encoding = 'br' | 'gzip'

export interface DashboardFile {
  /** Its content type. */
  type: string
  /** The digest of its bytes; letters and digits. */
  hash: string
  /** In what it can be had besides as it is, the smallest first. */
  encodings: readonly Encoding[]
  bytes(encoding: Encoding | null): Uint8Array
}

/** The pages' files. Made by `app`, which knows where they are. */
export interface Dashboard {
  /** By its path, e.g. `assets/main-3f2a9c81.js`. */
  find(path: string): Promise<DashboardFile | null>
}

const INDEX = 'index.html'

/** Whether a page is asked for, and not the API or a way in of agents. */
export const isPage = (method: string, pathname: string): boolean =>
  (method === 'GET' || method === 'HEAD') && !/^\/(api|mcp|hooks)(\/|$)/.test(pathname)

/**
 * Answers with a file, or with the page itself, which knows by its address what to show. Ranges are not given: the answer is whole.
 *
 * @throws `not_found` for a file that is not there, and for paths that no page of ours has
 */
export async function answerPage(
  request: Request,
  pathname: string,
  dashboard: Dashboard,
  version: string,
): Promise<Response> {
  const path = filePath(pathname)
  const file = path === null ? null : await dashboard.find(path)
  if (file !== null) return answerFile(request, file, path?.startsWith('assets/') !== true, version)
  if (path === INDEX) return notBuilt(version)
  throw new AppError('not_found', 'The dashboard has no such page or file.', { hint: 'Start at /.' })
}

/** The file that a path means; `null` = none can be meant. Files are looked up by name in a table, never on a disk. */
function filePath(pathname: string): string | null {
  const path = decode(pathname)?.slice(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (path === undefined || /[\u0000-\u001f\u007f\\]|(^|\/)\.\.?(\/|$)/.test(path)) return null
  // Ids of issues have dots, so only names at the root, like favicon.ico, are files by their dot.
  const isFile = path.startsWith('assets/') || /^[^/]*\.[^/]*$/.test(path)
  return isFile ? path : INDEX
}

function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return undefined
  }
}

function answerFile(request: Request, file: DashboardFile, hasFixedName: boolean, version: string): Response {
  const encoding = pickEncoding(request.headers.get('accept-encoding'), file.encodings)
  const etag = `"${file.hash}${encoding === null ? '' : `-${encoding}`}"`
  const headers: Record<string, string> = {
    ...pageHeaders(version),
    'content-type': file.type,
    // The name of every other file holds its hash.
    'cache-control': hasFixedName ? 'no-cache' : 'public, max-age=31536000, immutable',
    etag,
    ...(file.encodings.length > 0 && { vary: 'accept-encoding' }),
  }
  if (holds(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  if (encoding !== null) headers['content-encoding'] = encoding
  const bytes = file.bytes(encoding)
  if (request.method !== 'HEAD') return new Response(bytes as Uint8Array<ArrayBuffer>, { headers })
  return new Response(null, { headers: { ...headers, 'content-length': String(bytes.length) } })
}

/** From source, before anybody built the pages. */
const notBuilt = (version: string): Response =>
  new Response("The dashboard is not built. Run 'npm run build' in Lodeline's folder, then reload this page.\n", {
    status: 503,
    headers: { ...pageHeaders(version), 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })

/** The first of `offered` that the browser takes; `null` = none. */
function pickEncoding(accepted: string | null, offered: readonly Encoding[]): Encoding | null {
  const refused = /;\s*q=0(\.0*)?\s*$/
  const names = (accepted ?? '').split(',').flatMap((part) => {
    const name = part.split(';')[0]?.trim().toLowerCase()
    return name === undefined || refused.test(part) ? [] : [name]
  })
  return offered.find((encoding) => names.includes(encoding)) ?? null
}

const holds = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((part) => part.trim().replace(/^W\//, '') === etag || part.trim() === '*')

/** Nothing but our own files runs, loads or is spoken to; nobody frames the page, and it is asked for nothing of the device. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes markup or a program, by whatever way: React writes nodes, and no page of ours writes HTML.
  "require-trusted-types-for 'script'",
  // Its one policy names the files of our two workers, and nothing else.
  'trusted-types own-workers',
].join('; ')

/** Those that a Chromium knows on every system: others it complains of in the console. */
const FEATURES_OFF = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]

/** Commands and ids can be copied; all else is off. */
const FEATURES = [...FEATURES_OFF.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(', ')

function pageHeaders(version: string): Record<string, string> {
  return {
    [VERSION_HEADER]: version,
    'content-security-policy': POLICY,
    'permissions-policy': FEATURES,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}
