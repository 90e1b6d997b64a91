import { hidePassword } from '../util/net/database-url'
import { hideS3Secret } from '../util/net/s3-address'
import type { ConfigKey } from './keys'

/** A setting's value as it may be shown and kept: passwords and keys never are. */
export function shownValue(key: ConfigKey, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (key === 'blobs') return hideS3Secret(value)
  return key === 'databaseUrl' || key === 'databaseDirectUrl' ? hidePassword(value) : value
}
