/** The id of a session, made of a UUID. */
export const idOf = (uuid: string): string => `ses_${uuid.replaceAll('-', '')}`

/**
 * Makes an id of a message or part. The CLI orders them by these, and its own begin with the time of their making: the lower 48 bits of
 * milliseconds times 4,096, in hex.
 *
 * @param at  milliseconds since the epoch
 * @param number  tells those of one millisecond apart
 */
export function idAt(kind: 'msg' | 'prt', at: number, number = 0): string {
  const time = BigInt.asUintN(48, BigInt(at) * 4_096n + BigInt(number))
  return `${kind}_${time.toString(16).padStart(12, '0')}${crypto.randomUUID().replaceAll('-', '').slice(0, 14)}`
}
