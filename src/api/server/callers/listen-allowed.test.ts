import { expect, test } from 'bun:test'
import { assertListenAllowed, isLoopback } from './listen-allowed'

test('only loopback is listened on, unless traffic is encrypted or the operator insists', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', '::1', '[::1]', '::ffff:127.0.0.1']) {
    expect([host, isLoopback(host)]).toEqual([host, true])
    assertListenAllowed(host, { tls: false, allowInsecure: false })
  }
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '192.168.1.1',
    '127.0.0.1.evil.example',
    '127.0.0',
    '127.0.0.256',
    'localhost.evil.example',
    '0',
  ]) {
    expect([host, isLoopback(host)]).toEqual([host, false])
    expect(() => assertListenAllowed(host, { tls: false, allowInsecure: false })).toThrow('Listening on')
    assertListenAllowed(host, { tls: true, allowInsecure: false })
    assertListenAllowed(host, { tls: false, allowInsecure: true })
  }
})
