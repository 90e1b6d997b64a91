import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { addressesOf } from '../util/net/database-url'
import { networkOf } from '../util/net/network-text'
import { parseS3Address } from '../util/net/s3-address'
import type { Place } from './key-spec'

/** The user's home folder: `$HOME`, so that a test can have its own. */
export function homeOf(env: Place['env']): string {
  return env.HOME || homedir()
}

/** Words that switch a setting off. */
export function isOff(value: unknown): boolean {
  return value === null || value === false || value === 'off' || value === 'none' || value === ''
}

/** @throws Error */
export function whole(value: unknown, min: number, max: number, orElse = ''): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
    throw new Error(`must be a whole number from ${min} to ${max}${orElse}`)
  }
  return number
}

/** @throws Error  `otherwise` */
export function text(value: unknown, shape: RegExp, otherwise: string): string {
  if (typeof value !== 'string' || !shape.test(value)) throw new Error(otherwise)
  return value
}

/** @throws Error */
export function parseBoolean(value: unknown): boolean {
  if (value === true || value === 'true' || value === 'yes' || value === 'on') return true
  if (value === false || value === 'false' || value === 'no' || value === 'off') return false
  throw new Error('must be true or false')
}

/** @throws Error  without the value, which may hold a password */
export function parseDatabaseUrl(value: unknown): string | null {
  if (isOff(value)) return null
  // The value may hold a password: no message repeats it.
  if (typeof value !== 'string' || addressesOf(value) === null) {
    throw new Error('must be a postgres:// address, or off for the embedded database')
  }
  return value
}

/** @throws Error  without the value, which may hold a secret */
export function parseBlobs(value: unknown): string | null {
  if (isOff(value)) return null
  if (typeof value !== 'string' || parseS3Address(value) === null)
    throw new Error('must be s3://BUCKET/PREFIX?endpoint=URL&region=NAME, or off for files')
  return value
}

/** @throws Error */
export function parseFolders(value: unknown, place: Place): string[] {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 || list.length > 100) throw new Error('must name 1 to 100 folders')
  return list.map((each: unknown) => {
    if (typeof each !== 'string' || each.trim() === '' || each.includes('\0')) {
      throw new Error('must be a list of folders')
    }
    const expanded = each === '~' || each.startsWith('~/') ? join(homeOf(place.env), each.slice(1)) : each
    return isAbsolute(expanded) ? resolve(expanded) : resolve(place.folder, expanded)
  })
}

/** A list of words; text with commas counts as one. @throws Error  `otherwise` */
export function parseWords(value: unknown, shape: RegExp, otherwise: string, most: number): string[] {
  if (isOff(value)) return []
  // Commas part a text only where no word can hold one.
  const list: unknown[] = Array.isArray(value)
    ? value
    : typeof value === 'string' && !value.includes('(')
      ? value.split(',')
      : [value]
  if (list.length > most) throw new Error(otherwise)
  const words = list.map((each) => (typeof each === 'string' ? each.trim() : ''))
  if (words.some((word) => !shape.test(word))) throw new Error(otherwise)
  return [...new Set(words)]
}

/** A list of networks. @throws Error */
export function parseNetworks(value: unknown): string[] {
  const otherwise = 'must be a list of at most 50 networks such as 10.0.0.0/8'
  return parseWords(value, /^[\da-f.:/]{2,43}$/i, otherwise, 50).map((word) => {
    const network = networkOf(word)
    if (network === null) throw new Error(otherwise)
    return network
  })
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])$/

/** An address of the web without a user, a query or a part. An origin also has no path. @throws Error */
export function parseUrl(value: unknown, { isOrigin }: { isOrigin: boolean }): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && (isOrigin || LOCAL.test(url.hostname)))
  if (url === null || !isSafe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error(isOrigin ? 'must be an http:// or https:// address' : 'must be an https:// address')
  if (isOrigin && url.pathname !== '/') throw new Error('must be an address without a path')
  return isOrigin ? url.origin : url.href.replace(/\/$/, String(value).endsWith('/') ? '/' : '')
}
