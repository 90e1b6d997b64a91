import { expect, test } from 'bun:test'
import { modelUrls } from './model-urls'

const hosts = (env: Record<string, string>) => modelUrls(env).map((url) => new URL(url).host)

test('without settings the CLI reaches its own model and where a login is renewed', () => {
  expect(hosts({})).toEqual(['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai'])
})

test('an address of the person takes the place of all of these', () => {
  expect(hosts({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9000' })).toEqual(['127.0.0.1:9000'])
})

test('a cloud is reached where the person says that the model is, and where its logins are', () => {
  const bedrock = hosts({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-west-1', ANTHROPIC_BASE_URL: 'http://x' })
  expect(bedrock).toContain('bedrock-runtime.eu-west-1.amazonaws.com')
  expect(bedrock).not.toContain('x')
  const vertex = hosts({ CLAUDE_CODE_USE_VERTEX: 'true', CLOUD_ML_REGION: 'europe-west1' })
  expect(vertex).toContain('europe-west1-aiplatform.googleapis.com')
  expect(vertex).toContain('oauth2.googleapis.com')
  const foundry = hosts({ CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_RESOURCE: 'mine' })
  expect(foundry).toEqual(['mine.services.ai.azure.com', 'login.microsoftonline.com'])
  expect(hosts({ CLAUDE_CODE_USE_BEDROCK: '0' })).toContain('api.anthropic.com')
})
