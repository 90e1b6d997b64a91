import { expect, test } from 'bun:test'
import type { NetworkAccess } from '../deps'
import { keepEncrypted } from './keep-encrypted'
import { operatorToken } from './operator-token'

const ACCESS: NetworkAccess = { kind: 'network', hosts: () => new Set(), operatorToken: operatorToken('x') }

function headerFor(host: string, scheme: 'http' | 'https'): string | null {
  const response = new Response('')
  keepEncrypted(new Request(`${scheme}://x/`, { headers: { host } }), response, ACCESS)
  return response.headers.get('strict-transport-security')
}

test('browsers keep to HTTPS where this server speaks it, but for the name that all servers of a machine share', () => {
  expect(headerFor('lode.example:4655', 'https')).toBe('max-age=2592000')
  expect(headerFor('localhost:4655', 'https')).toBe(null)
  expect(headerFor('lode.example:4655', 'http')).toBe(null)
})
