import { readFileSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import { addressesOf } from '../../util/net/database-url'
import { ipVersion } from '../../util/net/ip'

/** How a connection is protected, in libpq's words. `prefer` and `allow` are not among them: there, an attacker in between chooses. */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
const isMode = (word: string): word is (typeof MODES)[number] => MODES.some((mode) => mode === word)

/** The URL with the protection that is in effect, and the certificate that signs the server's, where the URL names a file. */
export interface ProtectedPlace {
  url: string
  tls: { ca: string } | null
}

/** Where the database may be: the hosts of its URL, in their order. */
export interface DatabasePlaces {
  places: readonly ProtectedPlace[]
  /** Only a server that can be written counts: a standby is passed over until it is promoted. */
  isWritable: boolean
}

/** Values of `target_session_attrs` that say what Lodeline needs anyway, and the one that asks for nothing. */
const TARGETS = ['read-write', 'primary', 'any']

/**
 * The hosts of a URL, each protected as it says. Several of them are one primary and its standbys: whichever can be written is used.
 *
 * @throws `invalid`  see `protect`, or the URL asks for a server that can't be written
 */
export function placesOf(text: string): DatabasePlaces {
  const urls = addressesOf(text)
  if (urls === null) throw noUrl()
  let target: string | null = null
  const places = urls.map((url) => {
    const each = parsed(url)
    target = each.searchParams.get('target_session_attrs')
    each.searchParams.delete('target_session_attrs')
    return protect(each.href)
  })
  if (target !== null && !TARGETS.includes(target))
    throw new AppError(
      'invalid',
      `The database URL asks for target_session_attrs=${String(target).slice(0, 40)}, but Lodeline has to write.`,
      {
        hint: 'Use target_session_attrs=read-write, or leave it out.',
      },
    )
  return { places, isWritable: target === null ? places.length > 1 : target !== 'any' }
}

/**
 * Decides how a connection is protected. Beyond this machine, a URL that does not say so means `verify-full`: the server has to prove by a
 * certificate that it has the name. There, a password never goes over a connection that others can read: a server, or somebody who stands in
 * for it, could ask for it in clear text.
 *
 * @throws `invalid` the URL asks for less, or names a file that can't be read
 */
export function protect(text: string): ProtectedPlace {
  const url = parsed(text)
  const asked = url.searchParams.get('sslmode')
  const isHere = isThisMachine(url)
  const mode = asked ?? (isHere ? 'disable' : 'verify-full')
  if (!isMode(mode))
    throw new AppError('invalid', `The database URL has the unknown sslmode ${mode.slice(0, 40)}.`, {
      hint: `Use ${MODES.join(', ')}. Without sslmode it is verify-full, and disable on this machine.`,
    })
  if (mode === 'disable' && !isHere && hasPassword(url))
    throw new AppError('invalid', 'The database URL has a password, and sslmode=disable would let others read it.', {
      hint: 'Use sslmode=verify-full, or reach the database over a socket or a tunnel on this machine.',
    })
  url.searchParams.set('sslmode', mode)
  const root = url.searchParams.get('sslrootcert')
  url.searchParams.delete('sslrootcert')
  return { url: url.href, tls: root === null || mode === 'disable' ? null : { ca: readCertificate(root) } }
}

function parsed(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw noUrl()
}

const noUrl = (): AppError =>
  new AppError('invalid', 'The database URL is not valid.', {
    hint: 'Write postgres://user:password@host:port/database, with special characters of the password as %XX.',
  })

const hasPassword = ({ password, searchParams }: URL): boolean =>
  password !== '' || searchParams.has('password') || (process.env.PGPASSWORD ?? '') !== ''

/** Loopback, or a socket: a host that is a path, or none. */
function isThisMachine({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, '')
  if (host === '' || host.startsWith('/') || host === 'localhost' || host === '::1') return true
  return ipVersion(host) === 4 && host.startsWith('127.')
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AppError('invalid', `The certificate ${path.slice(0, 500)} of sslrootcert can't be read.`, { cause })
  }
}
