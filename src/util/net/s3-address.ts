/** Addresses of object storage: `s3://[key:secret@]bucket[/prefix][?endpoint=URL&region=NAME]`. */

export interface S3Address {
  bucket: string
  /** Before each name; ends with a slash where there is one. */
  prefix: string
  /** `undefined` = that of Amazon for the region. */
  endpoint: string | undefined
  region: string | undefined
  /** `undefined` = those of the environment. */
  keys: { id: string; secret: string } | undefined
}

const BUCKET = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/
const PREFIX = /^(?:\/[\w-][\w.-]*)*\/?$/

/** `null` = it is no such address. */
export function parseS3Address(text: string): S3Address | null {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.hash !== '' || url.port !== '') return null
  if (!BUCKET.test(url.hostname) || !PREFIX.test(url.pathname)) return null
  if ((url.username === '') !== (url.password === '')) return null
  if ([...url.searchParams.keys()].some((name) => name !== 'endpoint' && name !== 'region')) return null
  const endpoint = url.searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) return null
  const path = url.pathname.replace(/^\/|\/$/g, '')
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    region: url.searchParams.get('region') ?? undefined,
    keys:
      url.username === ''
        ? undefined
        : { id: decodeURIComponent(url.username), secret: decodeURIComponent(url.password) },
  }
}

/** The address with its secret hidden. */
export function hideS3Secret(text: string): string {
  const url = URL.parse(text)
  if (url === null) return '***'
  if (url.password !== '') url.password = '***'
  return url.href
}
