/** What a message may carry: a frame is a megabyte at most, and text needs some of it. */
export const mostImages = 4;
const mostCharacters = 880_000;
const longestSide = 1568; // models look at nothing finer
/** The images that models see. */
export const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export type ImageProblem = "tooMany" | "tooLarge";

/** How many characters of data URL each of n images may have. */
function shareOf(n: number): number {
  return Math.floor(mostCharacters / Math.max(1, n));
}

/** Takes images, small enough to be sent together. */
export async function takeImages(
  files: readonly File[],
  have: readonly string[],
): Promise<{ images: string[]; problem?: ImageProblem }> {
  const taken = files.slice(0, Math.max(0, mostImages - have.length));
  let problem: ImageProblem | undefined = taken.length < files.length ? "tooMany" : undefined;
  const images: string[] = [];
  for (const file of taken) {
    const url = await shrunk(file, shareOf(mostImages));
    if (url) images.push(url);
    else problem = "tooLarge";
  }
  return { images, problem };
}

async function shrunk(file: File, limit: number): Promise<string | null> {
  const whole = await dataUrl(file);
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) return null;
  if (whole.length <= limit && Math.max(bitmap.width, bitmap.height) <= longestSide) return whole;
  let scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  for (let tries = 0; tries < 8; tries++, scale *= 0.75) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const pen = canvas.getContext("2d");
    if (!pen) return null;
    pen.fillStyle = "#fff"; // JPEG knows no transparency
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const url = canvas.toDataURL("image/jpeg", 0.85);
    if (url.length <= limit) return url;
  }
  return null;
}

function dataUrl(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
}
