import { type CatalogClient, CHUNK_BYTES } from '../api/client';

/** What an upload needs of the client; tests pass a fake. */
export type IUploadClient = Pick<
  CatalogClient,
  'upload' | 'uploadChunk' | 'dropUpload'
>;

/**
 * Sends a file in parts, in order; answers the upload's id. `sent` hears of each part. A file given
 * up half way is removed from the server.
 */
export async function sendFile(
  client: IUploadClient,
  file: File,
  sent: (bytes: number) => void,
  signal: AbortSignal,
  chunk = CHUNK_BYTES
): Promise<string> {
  const { upload_id } = await client.upload(file.name);
  try {
    let offset = 0;
    while (offset < file.size) {
      const part = file.slice(offset, offset + chunk);
      const reply = await client.uploadChunk(upload_id, offset, part, signal);
      offset = reply.received;
      sent(offset);
    }
  } catch (reason) {
    client.dropUpload(upload_id).catch(() => undefined);
    throw reason;
  }
  return upload_id;
}
