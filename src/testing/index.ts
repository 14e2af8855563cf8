/** For tests of programs that use Turnwise: providers that say what they are told to. */
export type { Asked } from './fake-dialect.ts'
export { bytesOf, framesOf } from './fake-frames.ts'
export { faultsOf } from './fake-model-name.ts'
export type { FakeModel } from './fake-ollama-models.ts'
export { type Fake, type FakeOptions, startFake } from './fake-provider.ts'
export type { RecordedRequest } from './fake-request.ts'
export type { FakeFault, FakeFlavour, FakeStop, FakeUsage, FakeWire, Said, Script } from './fake-script.ts'
export {
  FAKE_CHAT,
  type FakeTelegram,
  type ShownEntity,
  type ShownMessage,
  startFakeTelegram,
  type TelegramCall,
  type TelegramFault,
} from './fake-telegram.ts'
export { calls, type ScriptedProvider, type ScriptedReply, says, scriptedProvider } from './scripted.ts'
