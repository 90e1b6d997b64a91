import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Lab, openLab } from './lab'

test('a lab has what was asked for, and leaves neither files nor processes behind', async () => {
  const lab = await openLab({ lode: {}, server: true })
  const { pid } = lab.lode.server
  expect((await lab.lode.client.tasks.list()).tasks).toEqual([])
  await lab.stop()
  expect(existsSync(lab.root)).toBe(false)
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('what fails at the start ends what had begun, and tells why', async () => {
  const wrong = { settings: { 'listen.host': 'nowhere.invalid' } }
  await expect(openLab({ lode: wrong, server: true })).rejects.toThrow('lode up ended: ')
})

test('installations of one lab know nothing of each other', async () => {
  await using lab = new Lab()
  const [one, two] = [lab.addLode('one'), lab.addLode('two')]
  expect([one.home, two.home]).toEqual([join(lab.root, 'one'), join(lab.root, 'two')])
  expect(() => one.url).toThrow('the server was not started')
})
