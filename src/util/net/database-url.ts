/** Addresses of PostgreSQL, which may name several hosts: `postgres://user@one:5432,two:5432/name`. */

const SHAPE = /^(?<head>postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?<hosts>[^@/?#]*)(?<tail>(?:[/?#].*)?)$/i
/** Hosts of one address. */
const MOST_HOSTS = 20

/** One address for each host that is named, in their order; `null` = it is no address of PostgreSQL. */
export function addressesOf(text: string): string[] | null {
  const { head, hosts, tail } = SHAPE.exec(text)?.groups ?? {}
  if (head === undefined || hosts === undefined || tail === undefined) return null
  const list = hosts.split(',')
  if (list.length > MOST_HOSTS || (list.length > 1 && list.includes(''))) return null
  const urls = list.map((host) => head + host + tail)
  return urls.every((url) => URL.canParse(url)) ? urls : null
}

/** Hosts and the database's name, without user, password and parameters. */
export function databaseLocation(text: string): string {
  const urls = (addressesOf(text) ?? []).map((url) => new URL(url))
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname ?? ''}`
}

/**
 * The same hosts with another database, and another login where one is given. Other parameters stay.
 *
 * @throws Error  it is no address of PostgreSQL
 */
export function withLogin(
  text: string,
  { user, password = '', database }: { user?: string; password?: string; database: string },
): string {
  const { head, hosts, tail = '' } = SHAPE.exec(text)?.groups ?? {}
  if (head === undefined || hosts === undefined) throw new Error('no address of PostgreSQL')
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(tail)?.[1])
  for (const name of ['dbname', ...(user === undefined ? [] : ['user', 'username', 'password'])])
    parameters.delete(name)
  const login = user === undefined ? head : `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return `${login}${hosts}/${encodeURIComponent(database)}${parameters.size === 0 ? '' : `?${parameters}`}`
}

/** The address with its password hidden. */
export function hidePassword(text: string): string {
  const url = URL.parse(addressesOf(text)?.[0] ?? '')
  const hosts = SHAPE.exec(text)?.groups?.hosts
  if (url === null || hosts === undefined) return '***'
  if (url.password !== '') url.password = '***'
  if (url.searchParams.has('password')) url.searchParams.set('password', '***')
  return url.host === '' ? url.href : url.href.replace(SHAPE, (_, head, __, tail) => head + hosts + tail)
}
