import type { RegistryService } from '../engine/registry/registry-service'

/** Every method of the port, by name: what may be asked of the thread that writes. */
export const REGISTRY_METHODS = [
  'register',
  'update',
  'attach',
  'detach',
  'resume',
] as const satisfies readonly (keyof RegistryService)[]

export type RegistryMethod = (typeof REGISTRY_METHODS)[number]

export const isRegistryMethod = (name: string): name is RegistryMethod =>
  (REGISTRY_METHODS as readonly string[]).includes(name)

/** A service whose methods are all one call. */
export function registryServiceOver(
  call: (method: RegistryMethod, args: unknown[]) => Promise<unknown>,
): RegistryService {
  const entries = REGISTRY_METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)])
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(entries) as unknown as RegistryService
}
