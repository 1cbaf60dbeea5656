// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhotosModel
import Testing

@Suite struct AlbumTests {
  @Test(arguments: [1, 2, 3, 64, 101])
  func makesBitmapsOfTheSizeOfTheirHeader(side: Int) throws {
    let file = Bitmap(side: side, seed: 5).file
    let size = try #require(Bitmap.size(of: file))
    #expect(size == (side, side))
    #expect(file.count == 54 + (side * 3 + 3) / 4 * 4 * side)
    #expect(Bitmap.size(of: file.dropLast()) == nil)
    #expect(Bitmap.size(of: Data("BM".utf8)) == nil)
  }

  @Test func makesAThumbnailOfThePicture() throws {
    let picture = Bitmap(side: 64, seed: 9)
    let thumbnail = picture.thumbnail(side: 32).file
    #expect(try #require(Bitmap.size(of: thumbnail)) == (32, 32))
    // Every other pixel of every other row: the first one is the same.
    #expect(thumbnail.dropFirst(54).prefix(3) == picture.file.dropFirst(54).prefix(3))
  }

  @Test func isTheSameForTheSameSeed() {
    let (a, b, c) = (Album(seed: 1), Album(seed: 1), Album(seed: 2))
    #expect((0..<184).allSatisfy { a.entry($0).label == b.entry($0).label })
    #expect(a.picture(a.entry(3)).file == b.picture(b.entry(3)).file)
    #expect((0..<184).contains { a.entry($0).label != c.entry($0).label })
    #expect((0..<184).allSatisfy { Set(a.entry($0).tags).count == a.entry($0).tags.count })
  }
}
