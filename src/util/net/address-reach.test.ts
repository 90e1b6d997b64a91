import { expect, test } from 'bun:test'
import { type AddressReach, addressReach, isInNetworks } from './address-reach'
import { networkOf } from './network-text'

const REACH: Record<AddressReach, string[]> = {
  public: ['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '100.128.0.0', '223.255.255.255', '2606:4700::1111'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fc00::1', 'fd00:ec2::254'],
  machine: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
  special: [
    ...['0.0.0.0', '169.254.169.254', '168.63.129.16', '192.0.0.8', '198.18.0.1', '203.0.113.9', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '::', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001:db8::1'],
    ...['::7f00:1', '::ffff:0:7f00:1', '64:ff9b:1::a00:1', '2001:0:7f00:1::'],
    ...['', 'localhost', '127.1', '0x7f000001', '2130706433', '10.0.0.1/8', '[::1]', '4000::1', '100::1'],
  ],
}

test('an address is public only when it leads to a host of the internet', () => {
  for (const [reach, addresses] of Object.entries(REACH))
    for (const address of addresses) expect([address, addressReach(address)]).toEqual([address, reach as AddressReach])
})

test('an address that stands for an IPv4 address leads where that one does', () => {
  const led: Record<AddressReach, string[]> = {
    public: ['::ffff:8.8.8.8', '64:ff9b::101:101', '2002:101:101::1'],
    private: ['::ffff:a00:1', '64:ff9b::a00:1', '2002:c0a8:101::1'],
    machine: ['::ffff:127.0.0.1', '0:0:0:0:0:ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::'],
    special: ['::ffff:169.254.169.254', '::ffff:0.0.0.0', '64:ff9b::e000:1'],
  }
  for (const [reach, addresses] of Object.entries(led))
    for (const address of addresses) expect([address, addressReach(address)]).toEqual([address, reach as AddressReach])
  expect(isInNetworks('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(true)
})

test('networks are read in their usual form, and hold their own addresses alone', () => {
  expect(networkOf('10.0.0.0/8')).toBe('10.0.0.0/8')
  expect(networkOf('10.1.2.3')).toBe('10.1.2.3/32')
  expect(networkOf('FD00::/8')).toBe('fd00::/8')
  for (const bad of ['', '10.0.0.0/33', 'fd00::/129', '10.0.0/8', 'host', '10.0.0.0/', '10.0.0.0/8/8', '/8'])
    expect([bad, networkOf(bad)]).toEqual([bad, null])
  expect(isInNetworks('10.9.9.9', ['10.0.0.0/8'])).toBe(true)
  expect(isInNetworks('11.0.0.1', ['10.0.0.0/8', 'fd00::/8'])).toBe(false)
  expect(isInNetworks('fd12::1', ['10.0.0.0/8', 'fd00::/8'])).toBe(true)
  expect(isInNetworks('10.0.0.1', [])).toBe(false)
})
