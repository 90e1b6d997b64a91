/** Networks as settings spell them. Without `node:net`: its first import and its lists cost a command 3 ms, and each one reads settings. */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** `10.0.0.0/8`, or one address, as a network in its usual form; `null` = it is neither. */
export function networkOf(text: string): string | null {
  const [, address = '', bits] = /^([\d.]{7,15}|[\da-f:]{2,39})(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const isIpv6 = address.includes(':') && URL.canParse(`http://[${address}]/`)
  const most = isIpv6 ? 128 : 32
  const length = bits === undefined ? most : Number(bits)
  return (!isIpv6 && !IPV4.test(address)) || length > most ? null : `${address.toLowerCase()}/${length}`
}
